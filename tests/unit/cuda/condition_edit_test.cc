#include "cuda/condition_edit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/text.h"
#include "cuda/arch_terms.h"
#include "unit/cuda/texts.h"

namespace ungate::cuda {
namespace {

using arch::CodeTargetSet;
using value::World;

CodeTargetSet targets(std::string_view list) {
  CodeTargetSet out;
  for (std::string_view name : text::split(list, ','))
    out |= CodeTargetSet::of(arch::parse_code_target(name)->index());
  return out;
}
CodeTargetSet device(int major, int minor) {
  return arch::code_targets_of(*arch::find_device(major, minor));
}

struct Lifted {
  std::string text;   // after the edits, or why there are none
  std::string after;  // what the arm admits then
  std::string also;
};

Lifted lift(const std::string& text, CodeTargetSet wanted, bool open_upward = false,
            std::uint32_t arm = 0, const World& world = {}) {
  Tree tree;
  tree.add("f", text);
  FileText file = tree.file("f");
  Result<Lift> out = lift_arm(file, evaluate_file(file, world), arm, wanted, {open_upward},
                              [&](FileText edited) { return evaluate_file(edited, world); });
  if (!out) return {out.error().what, {}, {}};
  return {source::apply_edits(text, out->edits, "f").value(), to_text(out->after),
          arch::to_text(out->also)};
}

// The first line of `#if condition` after a lift for sm_120.
std::string lifted_if(const std::string& condition, CodeTargetSet wanted = device(12, 0),
                      bool open_upward = false) {
  std::string out = lift("#if " + condition + "\nx\n#endif\n", wanted, open_upward).text;
  return out.starts_with("#if ") ? out.substr(4, out.find("\nx") - 4) : out;
}

TEST(Lift, UpperBoundMovesToTheEndOfTheFamily) {
  const std::string range =
      "(defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 900) && (__CUDA_ARCH__ < 1200))";
  EXPECT_EQ(lifted_if(range),
            "(defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 900) && (__CUDA_ARCH__ < 1300))");
  Lifted l = lift("#if " + range + "\nx\n#endif\n", device(12, 0));
  EXPECT_EQ(l.after, "no: sm_50..sm_89, future; yes: sm_90..sm_121f");
  EXPECT_EQ(l.also, "sm_121..sm_121f") << "what comes along is said";
  EXPECT_EQ(lifted_if("__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ <= 1100"),
            "__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1300");
  EXPECT_EQ(lifted_if("900 <= __CUDA_ARCH__ && 1200 > __CUDA_ARCH__"),
            "900 <= __CUDA_ARCH__ && 1300 > __CUDA_ARCH__");
  EXPECT_EQ(lifted_if("__CUDA_ARCH__ / 100 < 12"), "__CUDA_ARCH__ / 100 < 13");
}

TEST(Lift, OpeningUpwardRemovesExactlyTheBound) {
  const std::string range =
      "(defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 900) && (__CUDA_ARCH__ < 1200))";
  EXPECT_EQ(lifted_if(range, device(12, 0), true),
            "(defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 900))");
  EXPECT_EQ(lifted_if("__CUDA_ARCH__ < 1200 && FOO", device(12, 0), true), "FOO");
  EXPECT_EQ(lifted_if("__CUDA_ARCH__ < 1200", device(12, 0), true), "1");
  EXPECT_EQ(lifted_if("__CUDA_ARCH__ >= 900 && \\\n    __CUDA_ARCH__ < 1200", device(12, 0), true),
            "__CUDA_ARCH__ >= 900 \\\n");
}

TEST(Lift, ABoundDoesNotMoveOverOthers) {
  EXPECT_EQ(lifted_if("__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1000"),
            "__CUDA_ARCH__ >= 900 && (__CUDA_ARCH__ < 1000 || __CUDA_ARCH__ / 100 == 12)");
  EXPECT_EQ(lifted_if("__CUDA_ARCH__ >= 1210"), "__CUDA_ARCH__ >= 1200");
  EXPECT_EQ(lifted_if("__CUDA_ARCH__ > 1200"), "__CUDA_ARCH__ >= 1200");
  EXPECT_EQ(lifted_if("__CUDA_ARCH__ >= 1200", device(9, 0)),
            "__CUDA_ARCH__ >= 1200 || __CUDA_ARCH__ / 100 == 9");
}

TEST(Lift, ListsGetATerm) {
  EXPECT_EQ(
      lifted_if("__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890 || \\\n    __CUDA_ARCH__ == 900"),
      "__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890 || \\\n    __CUDA_ARCH__ == 900 || "
      "__CUDA_ARCH__ == 1200");
  EXPECT_EQ(lifted_if("__CUDA_ARCH__ == 900", device(12, 0) | device(12, 1)),
            "__CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1200 || __CUDA_ARCH__ == 1210");
  EXPECT_EQ(lifted_if("FOO && __CUDA_ARCH__ == 900"),
            "FOO && (__CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1200)");
  EXPECT_EQ(lifted_if("FOO && (__CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)"),
            "FOO && (__CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000 || __CUDA_ARCH__ == 1200)");
  EXPECT_EQ(lifted_if("__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ != 1200"), "__CUDA_ARCH__ >= 900");
}

TEST(Lift, FeatureMacrosGetTheOneOfTheSuffix) {
  EXPECT_EQ(lifted_if("defined(__CUDA_ARCH_FEAT_SM90_ALL)", targets("sm_120a")),
            "defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL)");
  EXPECT_EQ(lifted_if("__CUDA_ARCH__ >= 900 && defined(__CUDA_ARCH_FEAT_SM90_ALL)",
                      targets("sm_120f,sm_120a")),
            "__CUDA_ARCH__ >= 900 && (defined(__CUDA_ARCH_FEAT_SM90_ALL) || "
            "__CUDA_ARCH_FAMILY_SPECIFIC__ == 1200)");
  EXPECT_EQ(lifted_if("defined(__CUDA_ARCH_SPECIFIC__)", targets("sm_120")),
            "defined(__CUDA_ARCH_SPECIFIC__) || __CUDA_ARCH__ == 1200");
  EXPECT_EQ(
      lift("# ifdef __CUDA_ARCH_FEAT_SM90_ALL // Hopper\nx\n#endif\n", targets("sm_120a")).text,
      "# if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL) // "
      "Hopper\nx\n#endif\n");
  EXPECT_EQ(lift("#ifdef A\n#elifdef __CUDA_ARCH_FEAT_SM90_ALL\nx\n#endif\n", targets("sm_120a"),
                 false, 1)
                .text,
            "#ifdef A\n#elif defined(__CUDA_ARCH_FEAT_SM90_ALL) || "
            "defined(__CUDA_ARCH_FEAT_SM120_ALL)\nx\n#endif\n");
}

TEST(Lift, NegationsAndElseArms) {
  EXPECT_EQ(lifted_if("!(__CUDA_ARCH__ >= 1200)"), "!(__CUDA_ARCH__ >= 1300)");
  EXPECT_EQ(lifted_if("!(__CUDA_ARCH__ < 800 || __CUDA_ARCH__ == 1200)"),
            "!(__CUDA_ARCH__ < 800 || (__CUDA_ARCH__ == 1200 && __CUDA_ARCH__ != 1200))");
  EXPECT_EQ(lift("#if __CUDA_ARCH__ >= 1200\nx\n#else\ny\n#endif\n", device(12, 0), false, 1).text,
            "#if __CUDA_ARCH__ >= 1300\nx\n#else\ny\n#endif\n");
}

TEST(Lift, SaysWhyThereIsNone) {
  EXPECT_EQ(
      lift("#undef TMA\n#if __CUDA_ARCH__ == 900\n#define TMA\n#endif\n#ifdef TMA\nx\n#endif\n",
           device(12, 0), false, 1)
          .text,
      "'defined(TMA)' is decided by another macro (defined in file)");
  EXPECT_EQ(lift("#if 0 && __CUDA_ARCH__ < 1200\nx\n#endif\n", device(12, 0)).text,
            "'0' is false on every device");
  EXPECT_EQ(lift("#if __CUDA_ARCH__ >= 1200\nx\n#elif __CUDA_ARCH__ == 900\ny\n#endif\n",
                 device(12, 0), false, 1)
                .text,
            "an arm before it takes sm_120..sm_120f");
}

TEST(Lift, FreeMacrosStayFree) {
  Lifted l = lift("#if defined(FOO) && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200\nx\n#endif\n",
                  device(12, 0));
  EXPECT_EQ(l.after, "no: sm_50..sm_89, future; unknown: sm_90..sm_121f (macro FOO)");
}

// Whatever the condition: the target is admitted afterwards, nobody is shut out, nobody of another
// family is let in, and every line is where it was.
TEST(Lift, PropertiesOfEveryLift) {
  std::mt19937 random(5);
  auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  auto leaf = [&]() -> std::string {
    static const char* const kBounds[] = {"750",  "800",  "900",  "1000",
                                          "1030", "1100", "1200", "1210"};
    static const char* const kOps[] = {">=", "<", "==", "<=", ">", "!="};
    switch (pick(5)) {
      case 0: return "defined(__CUDA_ARCH_FEAT_SM90_ALL)";
      case 1: return "__CUDA_ARCH__ / 100 == 9";
      default: return std::string("__CUDA_ARCH__ ") + kOps[pick(6)] + ' ' + kBounds[pick(8)];
    }
  };
  std::function<std::string(int)> make = [&](int depth) -> std::string {
    if (depth == 0) return leaf();
    std::string op = pick(2) ? " && " : " || ";
    std::string a = make(depth - 1), b = make(depth - 1);
    std::string both = "(" + a + ")" + op + (pick(4) ? "" : "\\\n") + "(" + b + ")";
    return pick(4) == 0 ? "!(" + both + ")" : both;
  };
  int done = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = "#if " + make(static_cast<int>(pick(3))) + "\nx\n#endif\n";
    Tree tree;
    tree.add("f", text);
    FileText file = tree.file("f");
    FileResult result = evaluate_file(file, {});
    CodeTargetSet before = may_be_true(result.arms[0].condition);
    if (before.contains(device(12, 0)) || before.empty()) continue;
    Result<Lift> l = lift_arm(file, result, 0, device(12, 0), {},
                              [](FileText e) { return evaluate_file(e, {}); });
    ASSERT_TRUE(l) << text << l.error().what;
    ++done;
    CodeTargetSet after = may_be_true(l->after);
    EXPECT_TRUE(after.contains(before | device(12, 0))) << text;
    EXPECT_TRUE((before | family_of(device(12, 0))).contains(after))
        << text << arch::to_text(after);
    std::string edited = source::apply_edits(text, l->edits, "f").value();
    EXPECT_EQ(std::ranges::count(edited, '\n'), std::ranges::count(text, '\n')) << text;
  }
  EXPECT_GT(done, 100);
}

}  // namespace
}  // namespace ungate::cuda
