// The command line as users meet it. Each folder of tests/golden/cli is a case: `session.txt` holds
// commands and what they say (transcript.h has the format). They run where tests/golden/samples was
// copied to, and what lies in the case's folder `files/`. A folder more is a case more. With UNGATE_BLESS=1 what the program says now is written
// into session.txt.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "golden/transcript.h"

namespace ungate::golden {
namespace {

namespace fs = std::filesystem;

const fs::path kGolden = fs::path(UNGATE_TEST_DIR) / "golden", kCases = kGolden / "cli";

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kCases)) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class CommandLine : public testing::TestWithParam<std::string> {};

TEST_P(CommandLine, SaysWhatItsTranscriptHolds) {
  fs::path folder = kCases / GetParam();
  std::ifstream in(folder / "session.txt");
  ASSERT_TRUE(in) << folder << " has no session.txt";
  std::string held{std::istreambuf_iterator<char>(in), {}};

  Shell shell({fs::path(UNGATE_BINARY).parent_path(), kGolden / "bin"});
  fs::copy(kGolden / "samples", shell.folder(), fs::copy_options::recursive);
  if (fs::exists(folder / "files"))
    fs::copy(folder / "files", shell.folder(), fs::copy_options::recursive);
  std::optional<std::string> said = replay(held, shell);
  if (!said) GTEST_SKIP() << "a command of the case that begins with `?` failed: this machine lacks what it asks for";
  if (getenv("UNGATE_BLESS") != nullptr) {
    std::ofstream(folder / "session.txt") << *said;
    return;
  }
  EXPECT_EQ(*said, held);
}

INSTANTIATE_TEST_SUITE_P(Cli, CommandLine, testing::ValuesIn(cases()), [](const auto& given) {
  std::string name = given.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace ungate::golden
