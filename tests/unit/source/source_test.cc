#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "source/edit.h"
#include "source/source_file.h"

namespace ungate::source {
namespace {

std::string read(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(SourceFile, LinesAndColumns) {
  SourceFile f("a.py", "one\ntwo\r\n\nfour");
  EXPECT_EQ(f.line_count(), 4u);
  EXPECT_EQ(f.text(f.line(2)), "two");
  EXPECT_EQ(f.text(f.line(3)), "");
  EXPECT_EQ(f.text(f.line(9)), "");
  EXPECT_EQ(f.position(0).line, 1u);
  EXPECT_EQ(f.position(5).line, 2u);
  EXPECT_EQ(f.position(5).column, 2u);
  EXPECT_EQ(f.at(10), "a.py:4");
}

TEST(Edit, AppliesOverTheOriginalBytes) {
  EXPECT_EQ(*apply_edits("abcdef", {{{3, 4}, "d", "D"}, {{0, 1}, "a", "AA"}}, "x"), "AAbcDef");
  EXPECT_EQ(*apply_edits("ab", {{{1, 1}, "", "1"}, {{1, 1}, "", "2"}}, "x"), "a12b");
  EXPECT_EQ(apply_edits("abc", {{{0, 2}, "ab", ""}, {{1, 3}, "bc", ""}}, "x").error().what, "two edits overlap");
  EXPECT_EQ(apply_edits("abc", {{{0, 1}, "b", ""}}, "x").error().code, ErrorCode::does_not_fit);
  EXPECT_FALSE(apply_edits("abc", {{{2, 9}, "c", ""}}, "x"));
}

TEST(UnifiedDiff, ShowsHunks) {
  EXPECT_EQ(unified_diff("a\nb\nc\n", "a\nB\nc\n", "f"),
            "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
  EXPECT_EQ(unified_diff("a\n", "a\n", "f"), "");
  EXPECT_EQ(unified_diff("", "x\n", "f"), "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+x\n");
  EXPECT_EQ(unified_diff("a", "a\n", "f"),
            "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

// patch(1) is the oracle: it must turn one text into the other.
TEST(UnifiedDiff, PatchAppliesIt) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(testing::TempDir()) / "ungate_diff";
  fs::create_directories(folder);
  std::mt19937 rng(5);
  for (int round = 0; round < 60; ++round) {
    std::string before, after;
    int lines = static_cast<int>(rng() % 60);
    for (int i = 0; i < lines; ++i) {
      std::string line = "line " + std::to_string(rng() % 12) + "\n";
      unsigned what = rng() % 10;
      if (what != 0) before += line;
      if (what != 1) after += line;
      if (what == 2) after += "new " + std::to_string(rng() % 9) + "\n";
    }
    if (rng() % 4 == 0) after += "no newline";
    std::ofstream(folder / "f") << before;
    std::ofstream(folder / "d") << unified_diff(before, after, "f");
    if (before == after) continue;
    std::string command = "cd " + folder.string() + " && patch -s -p1 < d > log 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << read((folder / "log").string()) << read((folder / "d").string());
    bool emptied = after.empty() && !fs::exists(folder / "f");
    ASSERT_EQ(emptied ? "" : read((folder / "f").string()), after);
  }
}

}  // namespace
}  // namespace ungate::source
