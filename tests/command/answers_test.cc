// Kept answers: they are shown while nothing has changed, and only then.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/program.h"
#include "unit/support/temp_tree.h"

namespace ungate {
namespace {

namespace fs = std::filesystem;
using testing_support::Ran;

class Answers : public testing::Test {
 protected:
  Answers() {
    tree.file("site/pkg-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: pkg\nVersion: 1.0\n");
    tree.file("site/pkg-1.0.dist-info/RECORD", "pkg/__init__.py,,\n");
    tree.file("site/pkg/__init__.py", "import torch\nif torch.cuda.get_device_capability()[0] not in (9, 10):\n    raise RuntimeError('no')\n");
    tree.folder("home");
  }
  Ran audit(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"audit", tree.path("site"), "--target", "sm_120"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return testing_support::ungate(arguments, {{"HOME", tree.path("home")}});
  }
  std::vector<fs::path> kept() const {
    std::vector<fs::path> out;
    std::error_code ec;
    for (const auto& e : fs::directory_iterator(tree.path("home") + "/.cache/ungate/answers", ec)) out.push_back(e.path());
    return out;
  }
  // Every kept answer says this from now on: one sees where a text came from.
  void mark(const std::string& text) const {
    for (const fs::path& path : kept()) std::ofstream(path) << "1\n" << text;
  }

  testing_support::TempTree tree;
};

TEST_F(Answers, AreReadWhileNothingChanges) {
  Ran first = audit();
  ASSERT_EQ(first.status, 1) << first.all();
  ASSERT_EQ(kept().size(), 1u);
  Ran second = audit();
  EXPECT_EQ(second.status, first.status);
  EXPECT_EQ(second.out, first.out);
  mark("kept");
  EXPECT_EQ(audit().out, "kept");
}

TEST_F(Answers, AreNotReadOnceAFileChanged) {
  ASSERT_EQ(audit().status, 1);
  mark("kept");
  std::ofstream(tree.path("site/pkg/__init__.py")) << "import torch\n";
  EXPECT_EQ(audit().status, 0);
}

TEST_F(Answers, AreOfTheVeryQuestion) {
  ASSERT_EQ(audit().status, 1);
  mark("kept");
  for (std::vector<std::string> other : std::vector<std::vector<std::string>>{
           {"--target", "sm_121"}, {"--all"}, {"--exit-zero"}, {"--format", "json"}, {"--package", "pkg"}, {"--exclude", "x/*"},
           {"--assume", "torch.version.hip=None"}, {"--layer", "python"}, {"--color", "always"}}) {
    EXPECT_NE(audit(other).out, "kept") << other.front();
  }
  EXPECT_EQ(audit().out, "kept");
}

TEST_F(Answers, AreNeitherReadNorKeptWithoutTheCache) {
  ASSERT_EQ(audit({"--no-cache"}).status, 1);
  EXPECT_TRUE(kept().empty());
  ASSERT_EQ(audit().status, 1);
  mark("kept");
  EXPECT_NE(audit({"--no-cache"}).out, "kept");
  EXPECT_NE(audit({"--stats"}).out, "kept");
}

TEST_F(Answers, AHomeThatCannotBeWrittenToIsNoError) {
  tree.file("home/.cache", "a file");
  Ran ran = audit();
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "");
}

TEST_F(Answers, ABrokenOneIsMadeAnew) {
  Ran first = audit();
  for (const fs::path& path : kept()) std::ofstream(path) << "broken";
  EXPECT_EQ(audit().out, first.out);
}

}  // namespace
}  // namespace ungate
