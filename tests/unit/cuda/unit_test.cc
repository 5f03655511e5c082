// A unit with its headers.
#include <gtest/gtest.h>

#include "unit/cuda/texts.h"

namespace ungate::cuda {
namespace {

using value::World;

class UnitWalk : public testing::Test {
 protected:
  // Liveness of "HERE" in `path` after walking `units`.
  std::string live(const std::string& path, const std::vector<Unit>& units,
                   Pass pass = Pass::device) {
    Preprocessor p(world_, pass, tree_.loader());
    for (const Unit& u : units) last_ = p.walk(u).value();
    FileText file = tree_.file(path);
    return to_text(live_in(*p.result(path), arm_holding(file, "HERE")));
  }
  Tree tree_;
  World world_;
  UnitResult last_;
};

TEST_F(UnitWalk, HeadersDefineMacros) {
  tree_.add("include/config.h",
            "#pragma once\n#if __CUDA_ARCH__ >= 900\n#define BARRIER 1\n#else\n#define BARRIER "
            "0\n#endif\n");
  tree_.add("csrc/a.cu",
            "#include <config.h>\n#include <cuda_fp16.h>\n#if BARRIER\nHERE\n#endif\n");
  EXPECT_EQ(live("csrc/a.cu", {{"csrc/a.cu", {"include"}, {}}}), "no: sm_50..sm_89; yes: sm_90+");
  EXPECT_EQ(last_.files, (std::vector<std::string>{"csrc/a.cu", "include/config.h"}));
  ASSERT_EQ(last_.missing.size(), 1u);
  EXPECT_EQ(last_.missing[0].name, "cuda_fp16.h");
  EXPECT_TRUE(last_.missing[0].angled);
  EXPECT_EQ(live("csrc/a.cu", {{"csrc/a.cu", {}, {}}}), "unknown: all (macro BARRIER)")
      << "without the include path";
}

// The name says SM100, the text says otherwise: what counts is the header in use and the builder's
// -D.
TEST_F(UnitWalk, ALibraryMacroWhoseNameLies) {
  tree_.add("gdc.h",
            "#ifndef GDC_ENABLED\n#if defined(ENABLE_GDC_FOR_SM100) && (__CUDA_ARCH__ == 1000 || "
            "__CUDA_ARCH__ == 1200)\n"
            "#define GDC_ENABLED\n#endif\n#endif\ninline void wait() {\n#ifdef "
            "GDC_ENABLED\nHERE\n#endif\n}\n");
  tree_.add("a.cu", "#include \"gdc.h\"\n");
  world_.assume({value::Free::Kind::macro, Symbol("GDC_ENABLED")}, std::monostate{}, "test");
  EXPECT_EQ(live("gdc.h", {{"a.cu", {}, {"ENABLE_GDC_FOR_SM100"}}}),
            "no: sm_50..sm_90a, sm_103..sm_110f, sm_121+; yes: sm_100..sm_100f, sm_120..sm_120f");
  EXPECT_EQ(
      live("gdc.h", {{"a.cu", {}, {"ENABLE_GDC_FOR_SM90=1"}}}),
      "no: sm_50..sm_90a, sm_103..sm_110f, sm_121+; unknown: sm_100..sm_100f, sm_120..sm_120f "
      "(macro ENABLE_GDC_FOR_SM100)");
}

TEST_F(UnitWalk, TheCallerMaySayWhatIsAbsent) {
  tree_.add("a.cu",
            "#if !defined(LIB_SM90) && __CUDA_ARCH__ == 900\n#define LIB_SM90 1\n#endif\n#if "
            "LIB_SM90 && OTHER\nHERE\n#endif\n");
  Preprocessor p(world_, Pass::device, tree_.loader(),
                 [](std::string_view name) { return name.starts_with("LIB_"); });
  p.walk({"a.cu", {}, {}});
  FileText file = tree_.file("a.cu");
  EXPECT_EQ(to_text(live_in(*p.result("a.cu"), arm_holding(file, "HERE"))),
            "no: sm_50..sm_89, sm_100+; unknown: sm_90..sm_90a (macro OTHER)");
}

TEST_F(UnitWalk, VendoredCopiesAreTheirOwnText) {
  tree_.add("vendor/g.h", "#if __CUDA_ARCH__ == 900\nHERE\n#endif\n");
  tree_.add("lib/g.h", "#if __CUDA_ARCH__ >= 900\nHERE\n#endif\n");
  tree_.add("a.cu", "#include <g.h>\n");
  EXPECT_EQ(live("vendor/g.h", {{"a.cu", {"vendor", "lib"}, {}}}),
            "no: sm_50..sm_89, sm_100+; yes: sm_90..sm_90a");
  EXPECT_EQ(live("lib/g.h", {{"a.cu", {"lib", "vendor"}, {}}}), "no: sm_50..sm_89; yes: sm_90+");
}

TEST_F(UnitWalk, ContextsJoin) {
  tree_.add("h.h", "#if FEATURE && __CUDA_ARCH__ >= 900\nHERE\n#endif\n");
  tree_.add(
      "a.cu",
      "#define FEATURE 1\n#include \"h.h\"\n#undef FEATURE\n#define FEATURE 0\n#include \"h.h\"\n");
  EXPECT_EQ(live("h.h", {{"a.cu", {}, {}}}), "no: sm_50..sm_89; yes/no: sm_90+");
  tree_.add("b.cu", "#include \"h.h\"\n");
  EXPECT_EQ(
      live("h.h",
           {{"b.cu", {}, {"FEATURE=1"}}, {"b.cu", {}, {"FEATURE=0"}}, {"b.cu", {}, {"FEATURE=1"}}}),
      "no: sm_50..sm_89; yes/no: sm_90+");
}

TEST_F(UnitWalk, OnceMeansOnce) {
  tree_.add("once.h", "#pragma once\n#ifdef SECOND\nHERE\n#endif\n#define FIRST\n");
  tree_.add("guard.h", "#ifndef G_H\n#define G_H\n#ifdef SECOND\nHERE\n#endif\n#endif\n");
  world_.assume({value::Free::Kind::macro, Symbol("SECOND")}, std::monostate{}, "test");
  tree_.add("a.cu",
            "#include \"once.h\"\n#include \"guard.h\"\n#define SECOND\n#include "
            "\"./once.h\"\n#include \"x/../guard.h\"\n");
  EXPECT_EQ(live("once.h", {{"a.cu", {}, {}}}), "no: all");
  EXPECT_EQ(live("guard.h", {{"a.cu", {}, {}}}), "no: all");
  // Included for some targets first, for the others later.
  tree_.add("b.cu",
            "#if __CUDA_ARCH__ >= 900\n#include \"once.h\"\n#endif\n#define SECOND\n#include "
            "\"once.h\"\n");
  EXPECT_EQ(live("once.h", {{"b.cu", {}, {}}}), "yes/no: sm_50..sm_89; no: sm_90+");
}

TEST_F(UnitWalk, ComputedIncludesAndIncludeNext) {
  tree_.add("std/vector.h", "#include_next <vector.h>\n");
  tree_.add("sys/vector.h", "#if __CUDA_ARCH__ >= 900\nHERE\n#endif\n");
  tree_.add("a.cu", "#define STD(x) <x.h>\n#include STD(vector)\n");
  EXPECT_EQ(live("sys/vector.h", {{"a.cu", {"std", "sys"}, {}}}), "no: sm_50..sm_89; yes: sm_90+");
  tree_.add("b.cu", "#include UNKNOWN(vector)\n");
  Preprocessor p(world_, Pass::device, tree_.loader());
  EXPECT_EQ(p.walk({"b.cu", {}, {}})->missing.at(0).name, "UNKNOWN(vector)");
  EXPECT_FALSE(p.walk({"c.cu", {}, {}})) << "no such file";
}

TEST_F(UnitWalk, EndlessInclusionEnds) {
  tree_.add("a.cu",
            "#if __CUDA_ARCH__ >= 900\nHERE\n#endif\n#include \"a.cu\"\n#include \"a.cu\"\n");
  EXPECT_EQ(live("a.cu", {{"a.cu", {}, {}}}), "no: sm_50..sm_89; yes: sm_90+");
}

// What a header did is replayed, not evaluated again; the effect must be the same.
TEST_F(UnitWalk, ReplayedHeadersDefineTheSame) {
  tree_.add("config.h",
            "#if __CUDA_ARCH__ >= MIN\n#define ON 1\n#else\n#define ON 0\n#endif\n#undef MIN\n");
  tree_.add("a.cu", "#define MIN 900\n#include \"config.h\"\n#if ON\nHERE\n#endif\n");
  tree_.add("b.cu",
            "#define MIN 900\n#include \"config.h\"\n#if ON && !defined(MIN)\nHERE\n#endif\n");
  tree_.add("c.cu", "#define MIN 1000\n#include \"config.h\"\n#if ON\nHERE\n#endif\n");
  std::vector<Unit> units = {
      {"a.cu", {}, {}}, {"b.cu", {}, {}}, {"a.cu", {}, {}}, {"c.cu", {}, {}}};
  EXPECT_EQ(live("a.cu", units), "no: sm_50..sm_89; yes: sm_90+");
  EXPECT_EQ(live("b.cu", units), "no: sm_50..sm_89; yes: sm_90+");
  EXPECT_EQ(live("c.cu", units), "no: sm_50..sm_90a; yes: sm_100+");
}

}  // namespace
}  // namespace ungate::cuda
