// Liveness of text: the rules one by one. cpp_oracle_test.cc compares them with a compiler.
#include "cuda/preprocess.h"

#include <gtest/gtest.h>

#include "unit/cuda/texts.h"

namespace ungate::cuda {
namespace {

using value::Free;
using value::World;

// Liveness of the text "HERE" in one file alone.
std::string live(std::string text, const World& world = {}, Pass pass = Pass::device) {
  Tree tree;
  tree.add("f", std::move(text));
  FileText file = tree.file("f");
  return to_text(live_in(evaluate_file(file, world, pass), arm_holding(file, "HERE")));
}
std::string live_if(const std::string& condition, const World& world = {}) {
  return live("#if " + condition + "\nHERE\n#endif\n", world);
}

World with(std::string_view macro, value::Constant value) {
  World w;
  w.assume({Free::Kind::macro, Symbol(macro)}, std::move(value), "test");
  return w;
}

TEST(Preprocess, ArchRanges) {
  EXPECT_EQ(live_if("(defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 900) && (__CUDA_ARCH__ < 1200))"),
            "no: sm_50..sm_89, sm_120+; yes: sm_90..sm_110f");
  EXPECT_EQ(live_if("__CUDA_ARCH__ >= 1000"), "no: sm_50..sm_90a; yes: sm_100+");
  EXPECT_EQ(
      live_if("__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890 || \\\n    __CUDA_ARCH__ == 1200"),
      "no: sm_50..sm_80, sm_87..sm_88, sm_90..sm_110f, sm_121+; yes: sm_86, sm_89, "
      "sm_120..sm_120f");
  EXPECT_EQ(live("#if __CUDA_ARCH__ < 800\nx\n#else\nHERE\n#endif\n"),
            "no: sm_50..sm_75; yes: sm_80+");
}

TEST(Preprocess, FeatureMacros) {
  EXPECT_EQ(live_if("defined(__CUDA_ARCH_FEAT_SM100_ALL)"),
            "no: sm_50..sm_100, sm_100f+; yes: sm_100a");
  EXPECT_EQ(live("#ifdef __CUDA_ARCH_SPECIFIC__\nHERE\n#endif"),
            "no: sm_50..sm_90, sm_100, sm_100f..sm_103, sm_103f..sm_107, sm_107f..sm_110, "
            "sm_110f..sm_120, "
            "sm_120f..sm_121, sm_121f+; yes: sm_90a, sm_100a, sm_103a, sm_107a, sm_110a, sm_120a, "
            "sm_121a");
  EXPECT_EQ(live_if("__CUDA_ARCH_FAMILY_SPECIFIC__ == 1210"),
            "no: sm_50..sm_121, future; yes: sm_121a..sm_121f");
  EXPECT_EQ(
      live_if("defined(__CUDA_HAS_ARCH_FAMILY_SPECIFIC) && __CUDA_HAS_ARCH_FAMILY_SPECIFIC(120)"),
      "unknown: sm_50..sm_90, sm_100, sm_103, sm_107, sm_110, sm_120, sm_121, future (not read: "
      "condition "
      "'defined(__CUDA_HAS_ARCH_FAMILY_SPECIFIC) && __CUDA_HAS_ARCH…'); "
      "no: sm_90a, sm_100a..sm_100f, sm_103a..sm_103f, sm_107a..sm_107f, sm_110a..sm_110f; "
      "yes: sm_120a..sm_120f, sm_121a..sm_121f")
      << "where it is not defined the call is an error, whatever stands before it";
}

TEST(Preprocess, HostPassHasNoArch) {
  EXPECT_EQ(live("#if __CUDA_ARCH__ >= 900\nx\n#else\nHERE\n#endif", {}, Pass::host), "yes: all");
  EXPECT_EQ(live("#ifdef __CUDACC__\nHERE\n#endif", {}, Pass::host), "yes: all");
  EXPECT_EQ(live("#ifdef __CUDACC__\nHERE\n#endif", {}, Pass::plain), "no: all");
}

TEST(Preprocess, FreeMacrosAreNamed) {
  EXPECT_EQ(live_if("FOO"), "unknown: all (macro FOO)");
  EXPECT_EQ(live_if("defined(FOO) && __CUDA_ARCH__ >= 900 && BAR > 2"),
            "no: sm_50..sm_89; unknown: sm_90+ (macro BAR, macro FOO)");
  EXPECT_EQ(live_if("defined(FOO) || !defined(FOO)"), "yes: all") << "both are the same FOO";
  EXPECT_EQ(live_if("FOO(1, (2)) && __CUDA_ARCH__ >= 900"),
            "no: sm_50..sm_89; unknown: sm_90+ (macro FOO)");
  EXPECT_EQ(live_if("FOO", with("FOO", std::int64_t{0})), "no: all");
  EXPECT_EQ(live_if("defined(FOO)", with("FOO", std::monostate{})), "no: all");
  EXPECT_EQ(live_if("FOO", with("FOO", std::string("(__CUDA_ARCH__ > 800)"))),
            "no: sm_50..sm_80; yes: sm_86+");
  EXPECT_EQ(live_if("__has_include(<cuda_fp8.h>)"),
            "unknown: all (macro __has_include(<cuda_fp8.h>))");
}

TEST(Preprocess, ToolkitVersionFromTheWorld) {
  World world;
  assume_toolkit(world, 12, 9, "test");
  EXPECT_EQ(
      live_if(
          "__CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 8)",
          world),
      "yes: all");
  EXPECT_EQ(live_if("CUDA_VERSION >= 13000", world), "no: all");
  EXPECT_EQ(live_if("CUDA_VERSION >= 13000"), "unknown: all (macro CUDA_VERSION)");
}

TEST(Preprocess, DefinitionsTakeEffectInOrderAndUnderTheirArm) {
  EXPECT_EQ(live("#if __CUDA_ARCH__ >= 900\n#define FAST 1\n#endif\n#if FAST\nHERE\n#endif"),
            "unknown: sm_50..sm_89 (macro FAST); yes: sm_90+")
      << "below 9.0 FAST may come from outside";
  EXPECT_EQ(
      live("#undef FAST\n#if __CUDA_ARCH__ >= 900\n#define FAST 1\n#endif\n#if FAST\nHERE\n#endif"),
      "no: sm_50..sm_89; yes: sm_90+");
  EXPECT_EQ(
      live("#define A 1\n#ifdef FOO\n#undef A\n#define A 2\n#endif\n#if A == 2\nHERE\n#endif"),
      "unknown: all (macro FOO)");
  EXPECT_EQ(live("#define A 1\n#ifdef FOO\n#undef A\n#define A 2\n#endif\n#if A > 0\nHERE\n#endif"),
            "yes: all");
  EXPECT_EQ(live("#ifndef FOO\n#define FOO 0\n#endif\n#ifdef FOO\nHERE\n#endif"), "yes: all");
  EXPECT_EQ(live("#ifndef FOO\n#define FOO 0\n#endif\n#if FOO\nHERE\n#endif"),
            "unknown: all (macro FOO)");
  EXPECT_EQ(live("#ifndef FOO\n#if FOO\nHERE\n#endif\n#endif"), "no: all")
      << "FOO is not defined there";
}

TEST(Preprocess, ChainsTakeOneArm) {
  const std::string chain =
      "#if __CUDA_ARCH__ >= 1000\na\n#elif __CUDA_ARCH__ >= 900\n%s\n#elif "
      "FOO\n%s\n#else\n%s\n#endif";
  auto put = [&](int where) {
    std::string text = chain;
    for (int i = 0; i < 3; ++i) text.replace(text.find("%s"), 2, i == where ? "HERE" : "x");
    return live(text);
  };
  EXPECT_EQ(put(0), "no: sm_50..sm_89, sm_100+; yes: sm_90..sm_90a");
  EXPECT_EQ(put(1), "unknown: sm_50..sm_89 (macro FOO); no: sm_90+");
  EXPECT_EQ(put(2), "unknown: sm_50..sm_89 (macro FOO); no: sm_90+");
  EXPECT_EQ(live("#if FOO\n#elif 1\nHERE\n#else\n#endif"), "unknown: all (macro FOO)");
  EXPECT_EQ(live("#if 1\n#elif 1\n#else\nHERE\n#endif"), "not asked: all") << "never reached";
}

TEST(Preprocess, ElifdefAndElifndef) {
  EXPECT_EQ(live("#ifdef A\n#elifdef __CUDA_ARCH_FEAT_SM90_ALL\nHERE\n#endif",
                 with("A", std::monostate{})),
            "no: sm_50..sm_90, sm_100+; yes: sm_90a");
  EXPECT_EQ(live("#ifdef A\n#elifndef __CUDA_ARCH__\nHERE\n#endif"), "no: all");
}

TEST(Preprocess, MacrosWithParameters) {
  EXPECT_EQ(live("#define GE(a, n) ((a) >= (n))\n#if GE(__CUDA_ARCH__, 900)\nHERE\n#endif"),
            "no: sm_50..sm_89; yes: sm_90+");
  EXPECT_EQ(
      live("#define FEAT(n) defined(__CUDA_ARCH_FEAT_SM##n##_ALL)\n#if FEAT(90)\nHERE\n#endif"),
      "no: sm_50..sm_90, sm_100+; yes: sm_90a");
  EXPECT_EQ(live("#define ANY(...) (0 __VA_ARGS__)\n#if ANY(|| 0, ) \nHERE\n#endif"),
            "unknown: all (not read: condition 'ANY(|| 0, )')");
  EXPECT_EQ(live("#define A A + 1\n#if A == 1\nHERE\n#endif"), "yes: all")
      << "no macro inside itself";
  EXPECT_EQ(live("#define GE900 >= 900\n#if __CUDA_ARCH__ GE900\nHERE\n#endif"),
            "no: sm_50..sm_89; yes: sm_90+");
}

TEST(Preprocess, Arithmetic) {
  for (const char* yes :
       {"-1 > 0u", "1'000 == 1000 && 0x10 == 020 && 0b11 == 3", "'a' == 97 && '\\n' == 10",
        "(2 > 1 ? 5 : 6) == 5", "true && !false", "1 || 1 / 0", "!(0 && 1 / 0)",
        "7 / 2 * 2 + 7 % 2 == 7", "(1, 2) == 2", "1 << 3 == 8 && -8 >> 1 == -4", "~0 == -1",
        "not 0 and 1 or 0", "0xffffffffffffffff > 0",
        "(3 & 6) == 2 && (3 | 4) == 7 && (3 ^ 1) == 2"}) {
    EXPECT_EQ(live_if(yes), "yes: all") << yes;
  }
  for (const char* broken :
       {"1 +", "(1", "1 / 0", "1.5", "\"a\"", "undefined_call(1)", "1 1", "", "0x", "? 1 : 2"}) {
    World world = with("undefined_call", std::monostate{});
    EXPECT_EQ(live_if(broken, world).substr(0, 12), "unknown: all") << broken;
  }
}

TEST(Preprocess, IncludeGuardsAreNotFree) {
  EXPECT_EQ(live("#ifndef A_H\n#define A_H\n#if __CUDA_ARCH__ >= 900\nHERE\n#endif\n#endif\n"),
            "no: sm_50..sm_89; yes: sm_90+");
  EXPECT_EQ(live("#ifndef A\n#define A 1\n#endif\n#ifndef A\nHERE\n#endif\n"), "no: all");
}

TEST(Preprocess, NestedArmsKeepTheirOwnCondition) {
  Tree tree;
  tree.add("f", "#if __CUDA_ARCH__ >= 900\n#if __CUDA_ARCH__ < 1200\nHERE\n#endif\n#endif\n");
  FileResult r = evaluate_file(tree.file("f"), {});
  EXPECT_EQ(to_text(r.arms[1].condition), "yes: sm_50..sm_110f; no: sm_120+");
  EXPECT_EQ(to_text(r.arms[1].live), "no: sm_50..sm_89, sm_120+; yes: sm_90..sm_110f");
  EXPECT_EQ(to_text(r.arms[1].reached), "sm_90+");
}

TEST(Preprocess, LeavesAndMacrosOfDeviceDependentConditions) {
  Tree tree;
  tree.add("f",
           "#if __CUDA_ARCH__ >= 900\n#define HAS_TMA 1\n#else\n#define HAS_TMA 0\n#endif\n"
           "#if HAS_TMA && !defined(FOO)\nHERE\n#endif\n");
  FileText file = tree.file("f");
  FileResult r = evaluate_file(file, {});
  const ArmResult& arm = r.arms[2];
  ASSERT_EQ(arm.leaves.size(), 2u);
  EXPECT_EQ(to_text(arm.leaves[0]), "no: sm_50..sm_89; yes: sm_90+");
  EXPECT_EQ(to_text(arm.leaves[1]), "unknown: all (macro FOO)");
  ASSERT_EQ(arm.macros.size(), 1u);
  EXPECT_EQ(arm.macros[0].name.text(), "HAS_TMA");
  EXPECT_EQ(arm.macros[0].definitions.size(), 2u);
}

TEST(Preprocess, PerDeviceSaysWhenTheSuffixDecides) {
  Tree tree;
  tree.add("f", "#ifdef __CUDA_ARCH_FEAT_SM120_ALL\nHERE\n#endif\n");
  Outcomes live = evaluate_file(tree.file("f"), {}).arms[0].live;
  unsigned sm120 = arch::find_device(12, 0)->index();
  auto target = [](const char* name) {
    return arch::CodeTargetSet::of(arch::parse_code_target(name)->index());
  };
  EXPECT_EQ(per_device(live, {}).at(sm120), unknown(suffix_decides()));
  EXPECT_EQ(per_device(live, target("sm_120a")).at(sm120), yes());
  EXPECT_EQ(per_device(live, target("sm_120f")).at(sm120), no());
  EXPECT_EQ(per_device(live, target("sm_90a")).at(sm120), unknown(suffix_decides()))
      << "nothing is built for it";
}

}  // namespace
}  // namespace ungate::cuda
