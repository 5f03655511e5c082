// What device-dependent conditionals enclose, and the pitfalls C1 to C14 of conditionals in
// kernels.
#include "cuda/guard.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cuda/code_condition.h"
#include "unit/cuda/texts.h"

namespace ungate::cuda {
namespace {

using value::World;

struct Read {
  std::string text;
  Directives directives;
  FileResult result;
  Structure structure;
  std::vector<Guard> guards;
};

std::unique_ptr<Read> read(std::string text, const Vocabulary& vocabulary = {},
                           const World& world = {}) {
  auto r = std::make_unique<Read>();
  r->text = std::move(text);
  r->directives = read_directives(r->text);
  FileText file{r->text, &r->directives};
  r->result = evaluate_file(file, world);
  r->structure = read_structure(r->text, r->directives, vocabulary);
  r->guards = find_guards(file, r->result, r->structure, vocabulary, {&r->structure});
  return r;
}

const Guard& only(const std::unique_ptr<Read>& r) {
  EXPECT_EQ(r->guards.size(), 1u);
  return r->guards.at(0);
}
std::string live(const Read& r, const Guard& g) { return to_text(r.result.arms[g.arm].live); }

std::string kernel(std::string_view body) {
  return "__global__ void k(int a) {\n" + std::string(body) + "}\n";
}

TEST(Guard, FormsAreNamedByTheirParts) {
  auto form = [](const std::string& condition, const World& world = {}) {
    return std::string(name_of(only(read("#if " + condition + "\nx\n#endif\n", {}, world)).form));
  };
  EXPECT_EQ(form("defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200"),
            "pp-arch-range");
  EXPECT_EQ(form("__CUDA_ARCH__ >= 900 && FOO"), "pp-arch-lower");
  EXPECT_EQ(form("!(__CUDA_ARCH__ < 900)"), "pp-arch-lower");
  EXPECT_EQ(form("1200 > __CUDA_ARCH__"), "pp-arch-upper");
  EXPECT_EQ(form("__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890"), "pp-arch-equal");
  EXPECT_EQ(form("__CUDA_ARCH__ / 100 == 9"), "pp-arch-equal");
  EXPECT_EQ(form("__CUDA_ARCH__ >= 900 && defined(__CUDA_ARCH_FEAT_SM90_ALL)"), "pp-feature-macro");
  World world;
  world.assume({value::Free::Kind::macro, Symbol("HAS_TMA")}, std::string("(__CUDA_ARCH__ >= 900)"),
               "test");
  EXPECT_EQ(form("HAS_TMA", world), "pp-macro");
  EXPECT_TRUE(
      read("#ifdef __CUDA_ARCH__\nx\n#else\ny\n#endif\n#if FOO\nz\n#endif\n")->guards.empty())
      << "no device differs";
}

// C1. A two-sided range: what it encloses decides what its absence means.
TEST(Pitfall, C1_RangeAroundAWaitATriggerOrAWholeBody) {
  const std::string open =
      "#if (defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 900) && (__CUDA_ARCH__ < 1200))\n";
  auto wait =
      read(kernel("load();\n" + open + "  cudaGridDependencySynchronize();\n#endif\nwork();\n"));
  EXPECT_EQ(only(wait).coverage, Coverage::part);
  EXPECT_EQ(only(wait).waits.size(), 1u);
  EXPECT_TRUE(only(wait).triggers.empty());
  EXPECT_EQ(wait->structure.functions[only(wait).function].name.text(), "k");
  auto trigger = read(kernel("work();\n" + open +
                             "  asm volatile(\"griddepcontrol.launch_dependents;\");\n#endif\n"));
  EXPECT_EQ(only(trigger).triggers.size(), 1u);
  auto whole = read(kernel("  // all of it\n" + open +
                           "  cudaGridDependencySynchronize();\n  work();\n#endif\n"));
  EXPECT_EQ(only(whole).coverage, Coverage::whole_body) << "the kernel is empty elsewhere";
  EXPECT_EQ(only(whole).otherwise, ArmText::absent);
  EXPECT_EQ(live(*whole, only(whole)), "no: sm_50..sm_89, sm_120+; yes: sm_90..sm_110f");
}

TEST(Pitfall, C1_TheLaunchSaysWhetherAWaitIsReliedOn) {
  auto r = read(kernel("#if __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < "
                       "1200\ncudaGridDependencySynchronize();\n#endif\nwork();\n") +
                "void launch(bool pdl) { cudaLaunchConfig_t c = {}; cudaLaunchAttribute a[1];\n"
                "a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization; "
                "a[0].val.programmaticStreamSerializationAllowed = pdl;\n"
                "c.attrs = a; c.numAttrs = 1; cudaLaunchKernelEx(&c, k, 1); }\n");
  EXPECT_EQ(only(r).launches, 1u);
  EXPECT_EQ(only(r).programmatic.is, Setting::Is::conditional);
  EXPECT_EQ(only(r).programmatic.condition, "pdl");
  auto alone = read(kernel("#if __CUDA_ARCH__ >= 900\nx();\n#endif\n"));
  EXPECT_EQ(only(alone).programmatic.is, Setting::Is::unknown);
  EXPECT_EQ(only(alone).launches, 0u);
}

// C2. A lower bound admits what comes later; the instructions inside say whether that is right.
TEST(Pitfall, C2_LowerBoundAroundAnInstruction) {
  Vocabulary v;
  v.intrinsics = {"__special"};
  auto r = read(
      "__device__ void f() {\n#if __CUDA_ARCH__ >= 1000\n  asm(\"cvt.rs.satfinite.e2m1x4.f32 "
      "%0;\"); __special(1); other();\n#endif\n}\n",
      v);
  EXPECT_EQ(live(*r, only(r)), "no: sm_50..sm_90a; yes: sm_100+");
  EXPECT_EQ(only(r).instructions.at(0).text(), "cvt.rs.satfinite.e2m1x4.f32");
  ASSERT_EQ(only(r).intrinsics.size(), 1u);
}

// C3. A list of single values, over a line splice, with a default that is an error.
TEST(Pitfall, C3_ListOfDevicesOverASplice) {
  auto r = read(
      "#if __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890 || \\\n    __CUDA_ARCH__ == "
      "1200\nconstexpr int n = 99;\n"
      "#elif __CUDA_ARCH__ == 900\nconstexpr int n = 227;\n#else\n#error \"unknown "
      "device\"\n#endif\n");
  ASSERT_EQ(r->guards.size(), 3u);
  EXPECT_EQ(r->guards[0].form, Form::arch_equal);
  EXPECT_EQ(r->guards[0].otherwise, ArmText::error);
  EXPECT_EQ(live(*r, r->guards[0]),
            "no: sm_50..sm_80, sm_87..sm_88, sm_90..sm_110f, sm_121+; yes: sm_86, sm_89, "
            "sm_120..sm_120f");
  EXPECT_EQ(r->guards[2].does, ArmText::error);
  EXPECT_EQ(r->guards[2].form, Form::arch_equal) << "an #else is named by what decides";
}

// C4. A feature macro belongs to one exact target: not to the family build, not to the neighbour.
TEST(Pitfall, C4_FeatureMacroIsExact) {
  auto r = read("#if defined(__CUDA_ARCH_FEAT_SM100_ALL)\nfast();\n#else\nslow();\n#endif\n");
  EXPECT_EQ(live(*r, r->guards[0]), "no: sm_50..sm_100, sm_100f+; yes: sm_100a");
  EXPECT_EQ(r->guards[0].otherwise, ArmText::code);
  EXPECT_EQ(r->guards[0].coverage, Coverage::file_level);
}

// C7. A macro of the builder: the same text is another gate under each -D.
TEST(Pitfall, C7_ProjectMacroFromTheBuilder) {
  const std::string text =
      "#if defined(ENABLE_SM90_KERNELS) && __CUDA_ARCH__ >= 900\nHERE\n#endif\n";
  auto r = read(text);
  EXPECT_EQ(live(*r, only(r)), "no: sm_50..sm_89; unknown: sm_90+ (macro ENABLE_SM90_KERNELS)");
  World off;
  off.assume({value::Free::Kind::macro, Symbol("ENABLE_SM90_KERNELS")}, std::monostate{}, "test");
  EXPECT_TRUE(read(text, {}, off)->guards.empty());
}

// C8. A capability macro of a library, defined under a condition on the device in the same text.
TEST(Pitfall, C8_CapabilityMacro) {
  auto r = read(
      "#undef MMA_SM120\n#if __CUDA_ARCH__ == 1200\n#define MMA_SM120 1\n#endif\n#ifdef "
      "MMA_SM120\nHERE\n#endif\n");
  ASSERT_EQ(r->guards.size(), 2u);
  EXPECT_EQ(r->guards[1].form, Form::macro);
  const ArmResult& arm = r->result.arms[r->guards[1].arm];
  ASSERT_EQ(arm.macros.size(), 1u);
  EXPECT_EQ(r->text.substr(arm.macros[0].definitions.at(0).range.begin, 19), "#define MMA_SM120 1");
}

// C9. A trait of the target in if constexpr; its else traps at run time.
TEST(Pitfall, C9_ConstexprTrait) {
  std::vector<ArchTrait> traits = {{"is_major_v", ArchTrait::Means::major},
                                   {"is_match", ArchTrait::Means::arch}};
  auto eval = [&](std::string_view c, Pass pass = Pass::device) {
    return to_text(evaluate_code_condition(c, traits, {}, pass));
  };
  EXPECT_EQ(eval("arch::is_major_v<10> or arch::is_major_v<11>"),
            "no: sm_50..sm_90a, sm_120+; yes: sm_100..sm_110f");
  EXPECT_EQ(
      eval("ns::is_match<120>::value && !std::is_same_v<T, float>"),
      "no: sm_50..sm_110f, sm_121+; unknown: sm_120..sm_120f (name std::is_same_v<T, float>)");
  EXPECT_EQ(eval("arch::is_major_v<10>", Pass::host), "no: all");
  EXPECT_EQ(eval("supports(a, b) || N < 3"), "unknown: all (call supports(a, b), name N)");
}

// C10. The macro as a value in code: an expression on the device, and an error on the host.
TEST(Pitfall, C10_ConstexprOfTheMacro) {
  auto r = read("struct A { static constexpr bool fast = __CUDA_ARCH__ >= 1000; };\n");
  ASSERT_EQ(r->structure.target_macros.size(), 1u);
  source::Range e = r->structure.target_macros[0].expression;
  EXPECT_EQ(
      to_text(evaluate_code_condition(std::string_view(r->text).substr(e.begin, e.size()), {}, {})),
      "no: sm_50..sm_90a; yes: sm_100+");
}

// C11. A guard for old devices looks like one that shuts out new ones.
TEST(Pitfall, C11_InvertedGuard) {
  auto r =
      read("__device__ int f() {\n#if __CUDA_ARCH__ < 800\n  old();\n#else\n  now();\n#endif\n}\n");
  ASSERT_EQ(r->guards.size(), 2u);
  EXPECT_EQ(live(*r, r->guards[1]), "no: sm_50..sm_75; yes: sm_80+");
  EXPECT_EQ(r->guards[0].coverage, Coverage::whole_body);
}

// C12. What the other arm does.
TEST(Pitfall, C12_GuardWithAFailingArm) {
  auto otherwise = [](std::string_view arm) {
    return read(kernel("#if __CUDA_ARCH__ >= 900\nwork();\n#else\n" + std::string(arm) +
                       "\n#endif\n"))
        ->guards.at(0)
        .otherwise;
  };
  EXPECT_EQ(otherwise("assert(false && \"only on SM90+\");"), ArmText::assertion);
  EXPECT_EQ(otherwise("printf(\"no\"); __trap();"), ArmText::trap);
  EXPECT_EQ(otherwise("asm volatile(\"trap;\");"), ArmText::trap);
  EXPECT_EQ(otherwise("#error \"no\""), ArmText::error);
  EXPECT_EQ(otherwise("// nothing"), ArmText::nothing);
  EXPECT_EQ(otherwise("slow();"), ArmText::code);
  auto split = read(
      "template <class T>\n#if __CUDA_ARCH__ >= 900\n__global__ void k(T a) { work(); }\n#else\n"
      "__global__ void k(T a) { assert(false); }\n#endif\n");
  ASSERT_EQ(split->guards.size(), 2u);
  EXPECT_EQ(split->guards[0].coverage, Coverage::declaration);
  EXPECT_EQ(split->guards[1].does, ArmText::assertion);
  EXPECT_NE(split->guards[0].function, split->guards[1].function);
}

// C13. The text of a template, as it stands in a Python string or a Jinja file.
TEST(Pitfall, C13_GuardInsideATemplate) {
  auto r = read(
      "{% if has_wait %}\n__global__ void {{ name }}({{ params }}) {\n#if defined(__CUDA_ARCH__) "
      "&& __CUDA_ARCH__ == 900\n"
      "  {{ body }}\n#else\n  asm(\"trap;\");\n#endif\n}\n{% endif %}\n");
  ASSERT_EQ(r->guards.size(), 2u);
  EXPECT_EQ(r->guards[0].form, Form::arch_equal);
  EXPECT_EQ(r->guards[1].does, ArmText::trap);
}

// C14. An #error that rejects every plain target from 9.0 on.
TEST(Pitfall, C14_ErrorGuard) {
  World world;
  assume_toolkit(world, 13, 0, "test");
  auto r = read(
      "#if __CUDA_ARCH__ >= 900\n#if CUDA_VERSION >= 12090\n"
      "#if !defined(__CUDA_ARCH_SPECIFIC__) && !defined(__CUDA_ARCH_FAMILY_SPECIFIC__)\n"
      "#error \\\n    \"use an arch or family specific target\"\n#endif\n#endif\n#endif\n",
      {}, world);
  ASSERT_EQ(r->guards.size(), 2u);
  const Guard& g = r->guards[1];
  EXPECT_EQ(g.does, ArmText::error);
  EXPECT_EQ(g.form, Form::feature_macro);
  Outcomes live = r->result.arms[g.arm].live;
  auto at = [&](const char* name) { return live.at(arch::parse_code_target(name)->index()); };
  EXPECT_EQ(at("sm_120"), yes());
  EXPECT_EQ(at("sm_120a"), no());
  EXPECT_EQ(at("sm_120f"), no());
  EXPECT_EQ(at("sm_80"), no());
}

TEST(Guard, FileLevelGuardsKnowTheirFunctions) {
  auto r = read(
      "#if __CUDA_ARCH__ >= 900\n__global__ void a() {}\n__device__ void b() {}\n#endif\nvoid c() "
      "{}\n");
  EXPECT_EQ(only(r).coverage, Coverage::file_level);
  EXPECT_EQ(only(r).functions, (std::vector<std::uint32_t>{0, 1}));
}

TEST(Guard, NestedConditionalsAreGuardsOfTheirOwnOnlyIfTheyDiffer) {
  auto r = read(
      "#if __CUDA_ARCH__ >= 900\n#if FOO\nx\n#endif\n#if __CUDA_ARCH__ >= 1000\ny\n#endif\n#if "
      "__CUDA_ARCH__ > 800\nz\n#endif\n#endif\n");
  ASSERT_EQ(r->guards.size(), 2u) << "the one around, and the one for 10.0";
}

}  // namespace
}  // namespace ungate::cuda
