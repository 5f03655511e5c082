#include "python/uses.h"

#include <gmock/gmock.h>

namespace ungate::python {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The texts before the uses that may resolve to something known, on their lines; "own" where the file's own
// function is all that a use can mean.
std::vector<std::string> resolved(std::string_view text, std::string_view name, bool package = false) {
  const std::unordered_set<Symbol> made{Symbol("made_at_start")};
  std::vector<std::string> out;
  for (const Use& use : resolvable(text, Symbol(name), uses_in(text, name), {package, &made})) {
    std::size_t line = text.rfind('\n', use.begin) + 1;
    out.push_back((use.own ? "own: " : "") + std::string(text.substr(line, use.begin - line)));
  }
  return out;
}

TEST(Uses, TellsHowANameStands) {
  std::string_view text = "def run(): pass\nx.run(run=1)\nf().run\nrunner\nrun == 2";
  auto uses = uses_in(text, "run");
  ASSERT_EQ(uses.size(), 5u);
  EXPECT_TRUE(uses[0].defines);
  EXPECT_TRUE(uses[1].attribute);
  EXPECT_EQ(uses[1].base, Symbol("x"));
  EXPECT_TRUE(uses[2].keyword);
  EXPECT_TRUE(uses[3].attribute);
  EXPECT_TRUE(uses[3].base.empty());
  EXPECT_FALSE(uses[4].keyword);
}

TEST(Uses, ANameMustBeBoundToMeanAnything) {
  EXPECT_THAT(resolved("from a import run\nx = run()\n", "run"), ElementsAre("x = "));
  EXPECT_THAT(resolved("from a import (\n    b,\n    run,\n)\nx = run()\n", "run"), ElementsAre("x = "));
  EXPECT_THAT(resolved("import a as run\nrun()\n", "run"), ElementsAre(""));
  EXPECT_THAT(resolved("from a import *\nrun()\n", "run"), ElementsAre(""));
  EXPECT_THAT(resolved("run = pick()\nrun()\n", "run"), ElementsAre(""));
  EXPECT_THAT(resolved("def f():\n    from a import run\n    run()\n", "run"), ElementsAre("    "));
  EXPECT_THAT(resolved("class A:\n  def run(self): pass\n", "run"), IsEmpty());
  EXPECT_THAT(resolved("made_at_start()\n", "made_at_start"), ElementsAre(""));
  EXPECT_THAT(resolved("if x:\n    run()\n", "run", true), ElementsAre("    "));
}

TEST(Uses, AFunctionOfTheFileIsItsOwn) {
  EXPECT_THAT(resolved("def run(): pass\nrun()\n", "run"), ElementsAre("own: "));
  EXPECT_THAT(resolved("def run(): pass\nf(run, 1)\n", "run"), ElementsAre("own: f("));
  EXPECT_THAT(resolved("def run(): pass\nrun = wrap(run)\nrun()\n", "run"), ElementsAre("run = wrap(", ""));
}

TEST(Uses, AnAttributeNeedsABaseThatIsBound) {
  EXPECT_THAT(resolved("import a\na.run()\nself.run()\nsuper().run()\n", "run"), ElementsAre("a."));
  EXPECT_THAT(resolved("class A: pass\nA.run()\n", "run"), ElementsAre("A."));
}

TEST(Uses, StringsAndCommentsAreNotCode) {
  EXPECT_THAT(resolved("import a\n'''\na.run, b\n'''\nx = 'a.run'  # a.run\n", "run"), IsEmpty());
}

}  // namespace
}  // namespace ungate::python
