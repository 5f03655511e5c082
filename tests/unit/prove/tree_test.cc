#include "prove/tree.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "prove/process.h"

namespace ungate::prove {
namespace {

namespace fs = std::filesystem;

class TreeTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = ScratchFolder::make();
    ASSERT_TRUE(made);
    folder_.emplace(std::move(*made));
    site_ = folder_->path() + "/site-packages";
    write("pkg/include/pkg/a.cuh", "old a");
    write("pkg/include/pkg/b.cuh", "old b");
    write("pkg/csrc/k.cu", "old k");
    write("pkg/csrc/deep/l.cu", "old l");
    write("other/include/o.h", "old o");
    fs::create_directories(folder_->path() + "/mirror");
  }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(site_ + '/' + path).parent_path());
    std::ofstream(site_ + '/' + path) << text;
  }

  static std::string text(const std::string& path) {
    auto file = read_file(path);
    return file ? file->bytes : "(unreadable)";
  }

  Result<Tree> edited(const Texts& texts) {
    return Tree::edited({site_}, texts, {"pkg/include", "other/include"}, folder_->path() + "/mirror");
  }

  std::optional<ScratchFolder> folder_;
  std::string site_;
};

TEST_F(TreeTest, EditedFilesStandAmongTheOthers) {
  auto tree = edited({{"pkg/include/pkg/a.cuh", "new a"}});
  ASSERT_TRUE(tree);
  EXPECT_EQ(text(*tree->find("pkg/include/pkg/a.cuh")), "new a");
  EXPECT_EQ(text(*tree->find("pkg/include/pkg/b.cuh")), "old b");
  EXPECT_EQ(text(*tree->find("pkg/csrc/k.cu")), "old k");
  EXPECT_EQ(text(*tree->find("other/include/o.h")), "old o");
  EXPECT_FALSE(tree->find("pkg/include/none.h"));
  // A searched folder that holds an edited file is no link, so that ".." stays in the mirror.
  EXPECT_FALSE(fs::is_symlink(*tree->find("pkg/include")));
  EXPECT_EQ(text(*tree->find("pkg/include") + "/pkg/../pkg/a.cuh"), "new a");
}

TEST_F(TreeTest, TheEnvironmentIsLeftAlone) {
  auto tree = edited({{"pkg/include/pkg/a.cuh", "new a"}, {"pkg/csrc/k.cu", "new k"}});
  ASSERT_TRUE(tree);
  EXPECT_EQ(text(site_ + "/pkg/include/pkg/a.cuh"), "old a");
  EXPECT_EQ(text(site_ + "/pkg/csrc/k.cu"), "old k");
  EXPECT_EQ(text(*tree->find("pkg/csrc/k.cu")), "new k");
  EXPECT_EQ(text(*tree->find("pkg/csrc/deep/l.cu")), "old l");
}

TEST_F(TreeTest, NamesAreThoseOfTheOriginalTree) {
  auto tree = edited({{"pkg/include/pkg/a.cuh", "new a"}});
  ASSERT_TRUE(tree);
  Tree plain({site_});
  for (const char* path : {"pkg/include/pkg/a.cuh", "pkg/include/pkg/b.cuh", "other/include/o.h"}) {
    EXPECT_EQ(tree->name_of(*tree->find(path)), plain.name_of(*plain.find(path)));
    EXPECT_EQ(tree->path_of(plain.name_of(*plain.find(path))), *tree->find(path));
  }
  EXPECT_EQ(plain.name_of("/usr/include/stdio.h"), "/usr/include/stdio.h");
}

TEST_F(TreeTest, OriginalsOfEditedFilesAreKnown) {
  auto tree = edited({{"pkg/include/pkg/a.cuh", "new a"}});
  ASSERT_TRUE(tree);
  EXPECT_TRUE(tree->is_replaced(site_ + "/pkg/include/pkg/a.cuh"));
  EXPECT_FALSE(tree->is_replaced(site_ + "/pkg/include/pkg/b.cuh"));
  EXPECT_FALSE(Tree({site_}).is_edited());
}

TEST_F(TreeTest, AFileThatIsNotThereCannotBeEdited) {
  auto tree = edited({{"pkg/none.cuh", "x"}});
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, ErrorCode::no_such_path);
}

}  // namespace
}  // namespace ungate::prove
