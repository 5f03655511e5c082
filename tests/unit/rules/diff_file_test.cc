#include "rules/diff_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ungate::rules {
namespace {

using patch::TextEdit;

std::vector<TextEdit> edits_of(const std::vector<Hunk>& hunks) {
  std::vector<TextEdit> out;
  for (const Hunk& h : hunks) out.push_back(h.edit);
  return out;
}

using testing::ElementsAre;
using testing::Field;

std::string wrong(std::string_view text) {
  auto edits = read_diff(text, "x.patch");
  if (edits) return "nothing";
  EXPECT_EQ(edits.error().code, ErrorCode::bad_rule);
  return edits.error().where + ": " + edits.error().what;
}

TEST(DiffFile, GivesOneEditAHunk) {
  auto edits = read_diff(
      "Why this is needed.\n"
      "diff --git a/p/a.h b/p/a.h\n"
      "index 1..2 100644\n"
      "--- a/p/a.h\t2026-01-01\n"
      "+++ b/p/a.h\t2026-01-02\n"
      "@@ -1,3 +1,4 @@ int f()\n"
      " one\n"
      "-two\n"
      "+2\n"
      "+2b\n"
      " three\n"
      "@@ -9 +10,2 @@\n"
      " nine\n"
      "+ten\n"
      "--- p/b.h\n"
      "+++ p/b.h\n"
      "@@ -1,2 +1,1 @@\n"
      " kept\n"
      "-gone\n",
      "x.patch");
  ASSERT_TRUE(edits.has_value()) << to_text(edits.error());
  EXPECT_THAT(edits_of(*edits), ElementsAre(TextEdit{"p/a.h", "one\ntwo\nthree\n", "one\n2\n2b\nthree\n"},
                                  TextEdit{"p/a.h", "nine\n", "nine\nten\n"},
                                  TextEdit{"p/b.h", "kept\ngone\n", "kept\n"}));
  EXPECT_THAT(*edits, ElementsAre(Field(&Hunk::line, 1), Field(&Hunk::line, 9), Field(&Hunk::line, 1)));
}

TEST(DiffFile, KnowsFilesWithoutAFinalNewlineAndEmptyContext) {
  auto edits = read_diff(
      "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n\n-two\n\\ No newline at end of file\n+2\n\\ No "
      "newline at end of file\n",
      "x.patch");
  ASSERT_TRUE(edits.has_value()) << to_text(edits.error());
  EXPECT_THAT(edits_of(*edits), ElementsAre(TextEdit{"x", "one\n\ntwo", "one\n\n2"}));
}

TEST(DiffFile, SaysWhereItIsWrong) {
  EXPECT_EQ(wrong("--- a/x\n+++ b/y\n@@ -1 +1 @@\n"),
            "x.patch:1: a file would be created, removed or renamed; only edits are taken");
  EXPECT_EQ(wrong("--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+a\n"),
            "x.patch:1: a file would be created, removed or renamed; only edits are taken");
  EXPECT_EQ(wrong("@@ -1 +1 @@\n-a\n+b\n"), "x.patch:1: a hunk before the name of its file");
  EXPECT_EQ(wrong("--- a/x\n+++ b/x\n@@ nonsense @@\n"), "x.patch:3: not the first line of a hunk");
  EXPECT_EQ(wrong("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n"),
            "x.patch:7: the hunk is shorter than its first line says");
  EXPECT_EQ(wrong("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n*b\n"),
            "x.patch:5: a line of a hunk begins with ' ', '-' or '+'");
  EXPECT_EQ(wrong("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n"),
            "x.patch:3: a hunk needs lines of context and a change");
  EXPECT_EQ(wrong("--- a/x\n+++ b/x\n@@ -1 +1 @@\n b\n"),
            "x.patch:3: a hunk needs lines of context and a change");
}

}  // namespace
}  // namespace ungate::rules
