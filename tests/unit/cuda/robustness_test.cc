// Broken texts: whatever stands in a file, reading it ends, and nothing is read outside of it.
#include <gtest/gtest.h>

#include <random>

#include "cuda/condition_edit.h"
#include "cuda/guard.h"
#include "unit/cuda/texts.h"

namespace ungate::cuda {
namespace {

constexpr std::string_view kSample =
    "#pragma once\n#ifndef A_H\n#define A_H\n#include <x.h>\n#include \"y.h\"\n/* c */ // d\n"
    "#define F(a, b, ...) (a##b + __VA_ARGS__) // e\n#define LAUNCH(N) k<N><<<1, N>>>(#N); \\\n  "
    "more(N)\n"
    "namespace n { template <class T, int N = (3 > 2)>\n#if defined(__CUDA_ARCH__) && "
    "__CUDA_ARCH__ >= 900 \\\n && __CUDA_ARCH__ < 1200\n"
    "__global__ void __launch_bounds__(256, 2) k(T* a, int b[2]) {\n#else\n__global__ void k(T* a) "
    "{\n#endif\n"
    "  extern __shared__ float s[]; __shared__ int t[4];\n  asm volatile(\"{.reg .b32 r;\\n@p "
    "mov.b32 r, %0;}\" : \"=r\"(x) :: \"memory\");\n"
    "  auto r = R\"d(#if 0\n\")d\"; char c = '\\''; int m = 1'000;\n  if constexpr "
    "(is_major_v<10>) { a(); } else b<c>(d);\n"
    "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n  cudaGridDependencySynchronize();\n#elif F(1, 2, 3) ? 'a' "
    ": 0x1Fu\n  trap();\n#elifndef FOO\n#endif\n}\n"
    "struct S : B<int> { S() : a{1}, b(2) {} ~S() {} bool operator()(int) { return true; } };\n"
    "void f(bool pdl) { cudaLaunchConfig_t c{g, b, 0, s, &at, 1}; cudaLaunchAttribute at[2];\n"
    "  at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization; "
    "at[0].val.programmaticStreamSerializationAllowed = pdl ? 1 : 0;\n"
    "  c.attrs = at; c.numAttrs++; auto k2 = x ? &k<int> : n::k<float>; cudaLaunchKernelEx(&c, k2, "
    "1); LAUNCH(4); }\n"
    "TORCH_LIBRARY(ops, m) { m.def(\"a(Tensor b) -> c\", &f); }\n}\n#undef F\n#error "
    "\"no\"\n#endif\n";

// Everything that can be done with one text.
void read_all(const std::string& text) {
  Directives d = read_directives(text);
  FileText file{text, &d};
  for (const Directive& x : d.list) {
    ASSERT_LE(x.range.begin, x.range.end);
    ASSERT_LE(x.operand.end, text.size());
    ASSERT_TRUE(x.range.contains(x.operand)) << "an operand stands in its directive";
  }
  for (const Arm& a : d.arms) {
    ASSERT_LE(a.text.begin, a.text.end);
    ASSERT_LE(a.text.end, text.size());
    ASSERT_TRUE(a.next == kNone || a.next < d.arms.size());
  }
  FileResult r = evaluate_file(file, {});
  Vocabulary v;
  v.export_macros = {{"F", 0, 1}};
  Structure s = read_structure(text, d, v, launch_macros(text, d, v));
  for (const Function& f : s.functions) {
    ASSERT_LE(f.body.begin, f.body.end);
    ASSERT_LE(f.body.end, text.size());
    ASSERT_LE(f.parameters.end, text.size());
  }
  link_launches({&s});
  std::vector<Guard> guards = find_guards(file, r, s, v, {&s});
  arch::CodeTargetSet sm120 = arch::code_targets_of(*arch::find_device(12, 0));
  for (std::uint32_t a = 0; a < d.arms.size() && a < 12; ++a) {
    (void)lift_arm(file, r, a, sm120, {}, [](FileText e) { return evaluate_file(e, {}); });
  }
}

TEST(Robustness, EveryPrefix) {
  for (std::size_t n = 0; n <= kSample.size(); n += 3) read_all(std::string(kSample.substr(0, n)));
}

TEST(Robustness, EverySuffix) {
  for (std::size_t n = 0; n <= kSample.size(); n += 7) read_all(std::string(kSample.substr(n)));
}

TEST(Robustness, RandomMutations) {
  std::mt19937 random(3);
  static constexpr std::string_view kPieces[] = {
      "#",       "\n",         "\\\n",        "\"",   "'",        "/*",
      "*/",      "//",         "(",           ")",    "{",        "}",
      "<",       ">",          "<<<",         ">>>",  "#if ",     "#endif\n",
      "#else\n", "#elif X\n",  "R\"(",        ",",    ";",        "\xff",
      "\r",      ":",          "?",           "=",    "&",        "##",
      "defined", "template <", "__global__ ", "asm(", "numAttrs", std::string_view("\0", 1)};
  for (int round = 0; round < 400; ++round) {
    std::string text(kSample);
    for (unsigned k = 1 + random() % 6; k > 0; --k) {
      std::size_t at = random() % (text.size() + 1);
      switch (random() % 3) {
        case 0: text.insert(at, kPieces[random() % std::size(kPieces)]); break;
        case 1: text.erase(at, random() % 40); break;
        default: {
          std::string piece = text.substr(random() % text.size(), random() % 60);
          text.insert(at, piece);
        }
      }
    }
    read_all(text);
    if (HasFatalFailure()) FAIL() << text;
  }
}

TEST(Robustness, DeepAndLongTexts) {
  auto repeat = [](std::string_view s, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += s;
    return out;
  };
  read_all(repeat("#if A\n", 20'000));
  read_all(repeat("#if A\n#else\n", 2'000) + repeat("#endif\n", 2'000));
  read_all("#if " + repeat("(", 50'000) + "1\n#endif\n");
  read_all("#if " + repeat("!", 50'000) + "1\n#endif\n");
  read_all("#if " + repeat("1 ? ", 20'000) + "1\n#endif\n");
  read_all("#define F(x) x\n#if " + repeat("F(", 5'000) + "1" + repeat(")", 5'000) + "\n#endif\n");
  read_all(repeat("void f() {", 20'000));
  read_all(repeat("namespace a {", 20'000));
  read_all(repeat("\\\n", 50'000) + "#if A\n#endif\n");
  read_all(
      "#define A B B\n#define B C C\n#define C D D\n#define D E E\n#define E F F\n#define F G "
      "G\n#define G A A\n#if A\n#endif\n");
  read_all("#define A A A\n#if A\n#endif\n");
  read_all("void f() { a" + repeat("<", 20'000) + "; }");
  read_all("void f() { x = " + repeat("a<b,", 10'000) + "; }");
}

}  // namespace
}  // namespace ungate::cuda
