#include "patch/gate_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "patch/anchor.h"
#include "unit/patch/small_ground.h"

namespace ungate::patch {
namespace {

using testing::HasSubstr;

class MatchGates : public testing::Test {
 protected:
  MatchGates() {
    ground_.files["p.py"] = "if a < 9:\n  one()\nif a < 9:\n  two()\nif b:\n  three()\n";
    add("a < 9", 0, "p::first");
    add("a < 9", 1, "p::second");
    add("b", 0, "p::Class.second");
  }
  void add(const char* expression, int nth, const char* enclosing) {
    ground_.shut("id", "p.py", expression, "", "", nth).enclosing = enclosing;
  }
  // The lines of the gates that fit, or why none does.
  std::string match(const GatePattern& pattern, bool every = false) {
    std::vector<gate::Gate> gates(ground_.gates.begin(), ground_.gates.end());
    GateMatch m =
        match_gates(gates, pattern, 0, source::SourceFile("p.py", ground_.files["p.py"]), every);
    std::string out;
    for (const gate::Gate* g : m.gates) out += std::to_string(g->begin.line) + ' ';
    return out.empty() ? (m.ambiguous ? "ambiguous: " : "") + m.where + ": " + m.why : out;
  }
  SmallGround ground_;
};

TEST_F(MatchGates, ByTextFormAndFunction) {
  EXPECT_EQ(match({"p.py", {}, "", "b", ""}), "5 ");
  EXPECT_EQ(match({"p.py", {}, "first", "", ""}), "1 ");
  EXPECT_EQ(match({"p.py", {}, "", "a <", ""}, true), "1 3 ");
  EXPECT_EQ(match({"p.py", {}, "second", "", ""}, true), "3 5 ");
  EXPECT_EQ(match({"p.py", {}, "Class.second", "", ""}), "5 ");
  EXPECT_EQ(match({"p.py", {"py-compare", "py-x"}, "", "b", ""}), "5 ");
}

// A second copy of the package, in another site.
TEST_F(MatchGates, OnlyThoseOfTheSite) {
  add("b", 0, "p::third");
  ground_.gates.back().site = 1;
  EXPECT_EQ(match({"p.py", {}, "", "b", ""}, true), "5 ");
}

TEST_F(MatchGates, SeveralAreAmbiguous) {
  EXPECT_EQ(match({"p.py", {}, "", "a", ""}), "ambiguous: p.py:1: gates on the lines 1, 3 fit");
}

// The condition of the block that a text stands in.
TEST_F(MatchGates, TheLastOneBeforeAText) {
  EXPECT_EQ(match({"p.py", {}, "", "a", "two()"}), "3 ");
  EXPECT_EQ(match({"p.py", {}, "", "a", "one()"}), "1 ");
  EXPECT_EQ(match({"p.py", {}, "", "b", "one()"}), "p.py:2: no such gate stands before 'one()'");
  EXPECT_EQ(match({"p.py", {}, "", "a", "four()"}), "p.py: 'four()' is not there");
  EXPECT_EQ(match({"p.py", {}, "", "a", "if"}), "ambiguous: p.py:3: 'if' occurs several times");
}

TEST_F(MatchGates, NoneNamesTheNearest) {
  EXPECT_EQ(match({"p.py", {}, "irst", "", ""}),
            "p.py: no gate of this file is like the one that is meant");
  EXPECT_EQ(match({"p.py", {"py-x"}, "first", "a <", ""}),
            "p.py:1: the nearest gate is 'a < 9': its form is py-compare");
  EXPECT_EQ(match({"p.py", {}, "third", "a <", ""}),
            "p.py:1: the nearest gate is 'a < 9': it stands in p::first, not in third");
}

std::string anchored(const std::string& text, const TextEdit& edit) {
  source::SourceFile file("f", text);
  Anchor a = find_anchor(file, edit);
  switch (a.found) {
    case Anchor::Found::once:
      return "once at " + std::to_string(a.range.begin);
    case Anchor::Found::in_place:
      return "in place at " + std::to_string(a.range.begin);
    case Anchor::Found::several:
      return "several, " + std::to_string(a.lines.size());
    case Anchor::Found::missing:
      return std::to_string(a.line) + ": " + a.why;
  }
  return {};
}

TEST(FindAnchor, OnceInPlaceOrSeveral) {
  EXPECT_EQ(anchored("a b c", {"f", "b", "x"}), "once at 2");
  EXPECT_EQ(anchored("a x c", {"f", "b", "x"}), "in place at 2");
  EXPECT_EQ(anchored("b b", {"f", "b", "x"}), "several, 2");
  EXPECT_EQ(anchored("b x", {"f", "b", "x"}), "several, 2");
}

// The new text may hold the old one, and the other way round.
TEST(FindAnchor, TextsThatHoldEachOther) {
  EXPECT_EQ(anchored("(a or b)", {"f", "a or b", "a or b or c"}), "once at 1");
  EXPECT_EQ(anchored("(a or b or c)", {"f", "a or b", "a or b or c"}), "in place at 1");
  EXPECT_EQ(anchored("a and b", {"f", "a and b", "a"}), "once at 0");
  EXPECT_EQ(anchored("x a x", {"f", "a and b", "a"}), "in place at 2");
}

TEST(FindAnchor, SaysWhatIsThereInstead) {
  EXPECT_EQ(anchored("one\nfor (int i = 0; i < n; ++i)\nthree\n",
                     {"f", "for (int i = 0; i < m; ++i)", "y"}),
            "2: expected 'for (int i = 0; i < m; ++i)', found 'for (int i = 0; i < n; ++i)'");
  EXPECT_EQ(anchored("one\ntwo\n", {"f", "quite different", "y"}),
            "0: nothing in the file is like it");
  EXPECT_THAT(anchored("a\r\nb\r\n", {"f", "a\nb\n", "y"}),
              HasSubstr("the file's lines end in \\r\\n"));
}

}  // namespace
}  // namespace ungate::patch
