#include "cuda/structure.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ungate::cuda {
namespace {

Structure read(std::string_view text, Vocabulary vocabulary = {}) {
  return read_structure(text, read_directives(text), vocabulary);
}

std::vector<std::string> functions(std::string_view text) {
  std::vector<std::string> out;
  for (const Function& f : read(text).functions) out.emplace_back(f.qualified.text());
  return out;
}
using Names = std::vector<std::string>;

std::string_view at(std::string_view text, source::Range r) {
  return text.substr(r.begin, r.size());
}

TEST(Functions, NamesAndScopes) {
  EXPECT_EQ(
      functions("namespace a::b { namespace { void f() {} } inline namespace v1 { int g(int x) { "
                "return x; } } }\n"
                "void h();\nextern \"C\" { void c() {} }\nextern \"C\" int d() { return 0; }\n"),
      (Names{"a::b::f", "a::b::v1::g", "c", "d"}));
  EXPECT_EQ(functions("struct alignas(16) S : Base<int> { S(int a) : Base{a}, x_(a) {} ~S() {} "
                      "bool operator()(int) const {}\n"
                      " bool operator==(S o) const noexcept { return true; } struct In { void f() "
                      "{} }; int x_ = {1}; };\n"
                      "template <> S T<int>::f<3>(int a) { }\n"),
            (Names{"S::S", "S::~S", "S::operator()", "S::operator==", "S::In::f", "T<int>::f"}));
  EXPECT_EQ(
      functions("enum class E { a, b };\nint table[] = {1, 2};\nauto fn = [](int a) { return a; "
                "};\nvoid f() {}\n"
                "Foo x{1};\nMACRO(y)\nvoid g(int a = {}) {}\nPYBIND11_MODULE(m, n) { n.def(); }\n"),
      (Names{"f", "g", "PYBIND11_MODULE"}));
  EXPECT_EQ(
      functions(
          "auto f(int a) -> decltype(g(a)) { if (a) { } }\ntemplate <int N, bool B = (N > 3)>\n"
          "requires(N > 0) auto g() { return x<y>(1); }\n"),
      (Names{"f", "g"}));
}

TEST(Functions, KernelsAndTheirAttributes) {
  std::string_view text =
      "template <typename T, int N = 2>\n"
      "__global__ void __launch_bounds__(1024, 1) __cluster_dims__(2, 1, 1)\n"
      "    k(T* __restrict__ out, int const n[], float scale = 1.f, ...) { out[0] = n[0]; }\n"
      "LIB_DEVICE\nvoid d() {}\n"
      "__device__ __forceinline__ int e(int) { return 1; }\n"
      "void __global__ odd(const __grid_constant__ P p) {}\n";
  Vocabulary v;
  v.device_words.push_back("LIB_DEVICE");
  Structure s = read(text, v);
  ASSERT_EQ(s.functions.size(), 4u);
  const Function& k = s.functions[0];
  EXPECT_TRUE(k.is_kernel && k.is_template && !k.is_device);
  EXPECT_EQ(at(text, k.launch_bounds), "1024, 1");
  EXPECT_EQ(at(text, k.cluster_dims), "2, 1, 1");
  EXPECT_EQ(at(text, k.body), "{ out[0] = n[0]; }");
  EXPECT_EQ(at(text, k.name_range), "k");
  ASSERT_EQ(k.parameter_names.size(), 4u);
  EXPECT_EQ(k.parameter_names[1].text(), "n");
  EXPECT_EQ(k.parameter_names[2].text(), "scale");
  EXPECT_TRUE(s.functions[1].is_device && s.functions[2].is_device);
  EXPECT_TRUE(s.functions[2].parameter_names[0].empty());
  EXPECT_TRUE(s.functions[3].is_kernel);
  EXPECT_EQ(function_at(s, static_cast<std::uint32_t>(text.find("n[0];"))), 0u);
  EXPECT_EQ(function_at(s, static_cast<std::uint32_t>(text.find("LIB_DEVICE"))), 1u);
}

// Both arms of a conditional are read, and neither may lose what follows.
TEST(Functions, ConditionalsThatSplitDeclarations) {
  EXPECT_EQ(functions("#if A\nvoid f(int a) {\n#else\nvoid g(int a, int b) {\n#endif\n  "
                      "body();\n}\nvoid h() {}\n"),
            (Names{"f", "g", "h"}));
  EXPECT_EQ(
      functions(
          "void f() {\n#if A\n  if (x) {\n#endif\n  y();\n#if A\n  }\n#endif\n}\nvoid g() {}\n"),
      (Names{"f", "g"}));
  EXPECT_EQ(functions("template <class T>\n#if A\n__global__ void __launch_bounds__(256) "
                      "f(\n#else\n__global__ void f(\n#endif\n"
                      "  T a) { }\nvoid g() {}\n"),
            (Names{"f", "g"}));
  EXPECT_EQ(
      functions(
          "#if A\nnamespace a {\n#else\nnamespace b {\n#endif\nvoid f() {}\n}\nvoid g() {}\n"),
      (Names{"a::f", "g"}));
  EXPECT_EQ(functions("#if 0\nvoid broken() { {\n#else\nvoid f() {\n#endif\n}\nvoid g() {}\n"),
            (Names{"broken", "f", "g"}));
  Structure s = read("#if A\nvoid f() {\n#else\nvoid g() {\n#endif\n  body();\n}\n");
  EXPECT_EQ(s.functions[0].body.end, s.functions[1].body.end) << "both end at the shared brace";
}

TEST(Functions, NestingIsSetRightAgain) {
  std::string_view text =
      "void f() {\n  if (a) {\n"
      "}\n\n"
      "__global__ void k() { x(); }\n"
      "} }\n"
      "template <class T>\nvoid g() {}\n";
  Structure s = read(text);
  ASSERT_EQ(s.functions.size(), 3u);
  EXPECT_EQ(s.functions[1].name.text(), "k");
  EXPECT_TRUE(s.functions[1].is_kernel);
  EXPECT_EQ(s.functions[2].name.text(), "g");
  EXPECT_EQ(s.recovered.size(), 3u);
  EXPECT_EQ(functions("FOO(x\ntemplate <class T>\nvoid g() {}\n"), (Names{"g"}))
      << "an open parenthesis";
}

TEST(Code, CallsAndTheirFunctions) {
  Structure s = read(
      "void f() {\n  a::b<int>(1); x.m(2); p->q<3>(); dim3 grid(4); if (c) return g(h());\n  "
      "vec<T> v(1); int n = sizeof(x);\n"
      "#pragma unroll\n  for (;;) i < j && k > (l);\n}\n");
  Names names;
  for (const Call& c : s.calls) names.emplace_back(c.name.text());
  EXPECT_EQ(names, (Names{"b", "m", "q", "g", "h"}));
  EXPECT_TRUE(s.calls[1].member && s.calls[2].member && !s.calls[0].member);
}

TEST(Code, InlineAssembly) {
  Structure s = read(
      "__device__ void f() {\n"
      "  asm volatile(\"{\\n\\t.reg .pred p;\\n\"\n"
      "               \"@!p mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\\n\" // why\n"
      "               \"L1: cvt.rs.satfinite.e2m1x4.f32 %0, {%1, %2};}\"\n"
      "               : \"=r\"(x) : \"r\"(y));\n"
      "  asm(\"trap;\");\n  __asm__ __volatile__(R\"(griddepcontrol.wait;)\" ::: "
      "\"memory\");\n}\n");
  ASSERT_EQ(s.assembly.size(), 3u);
  std::vector<std::string> m;
  for (Symbol x : s.assembly[0].mnemonics) m.emplace_back(x.text());
  EXPECT_EQ(m, (Names{"mbarrier.try_wait.parity.shared::cta.b64", "cvt.rs.satfinite.e2m1x4.f32"}));
  EXPECT_EQ(s.assembly[1].mnemonics.at(0).text(), "trap");
  EXPECT_EQ(s.assembly[2].mnemonics.at(0).text(), "griddepcontrol.wait");
}

TEST(Structure, DynamicSharedMemoryOfALaunch) {
  Structure s = read(
      "void run() {\n  k<<<g, b, 48 * 1024, stream>>>(p);\n  j<<<g, b>>>(p);\n"
      "  cudaLaunchConfig_t config;\n  config.gridDim = g;\n  config.dynamicSmemBytes = sizeof(S) * n;\n"
      "  cudaLaunchKernelEx(&config, m, p);\n}\n");
  ASSERT_EQ(s.launches.size(), 3u);
  EXPECT_EQ(s.launches[0].dynamic_shared, "48 * 1024");
  EXPECT_EQ(s.launches[1].dynamic_shared, "");
  EXPECT_EQ(s.launches[2].dynamic_shared, "sizeof(S) * n");
}

TEST(Code, SharedMemory) {
  Structure s = read(
      "__global__ void k() {\n  __shared__ float a[4][8];\n  __shared__ int b, c;\n  extern "
      "__shared__ char d[];\n"
      "  __shared__ alignas(16) uint8_t e[N];\n  __shared__ Pair<int> f[2];\n  __shared__ unsigned "
      "char g[3];\n}\n");
  ASSERT_EQ(s.shared.size(), 7u);
  EXPECT_EQ(s.shared[6].bytes, 3u);
  EXPECT_EQ(s.shared[0].bytes, 128u);
  EXPECT_EQ(s.shared[1].bytes, 4u);
  EXPECT_EQ(s.shared[2].name.text(), "c");
  EXPECT_TRUE(s.shared[3].dynamic);
  EXPECT_EQ(s.shared[4].bytes, 0u) << "N is not a number";
  EXPECT_EQ(s.shared[5].bytes, 0u);
}

TEST(Code, Exports) {
  Vocabulary v;
  v.export_macros = {{"EXPORT_TYPED_FUNC", 0, 1}};
  Structure s = read(
      "EXPORT_TYPED_FUNC(run, ns::run_impl);\n"
      "TORCH_LIBRARY_FRAGMENT(ops, m) {\n"
      "  m.def(\"gemm(Tensor a) -> Tensor\", &gemm<float>);\n"
      "  m.impl(\"norm\", torch::kCUDA, &norm);\n  m.impl(\"add\", TORCH_FN(add_impl));\n  "
      "m.def(\"only_schema() -> ()\");\n}\n",
      v);
  Names pairs;
  for (const Export& e : s.exports)
    pairs.push_back(std::string(e.op.text()) + "=" + std::string(e.function.text()));
  EXPECT_EQ(pairs, (Names{"run=run_impl", "gemm=gemm", "norm=norm", "add=add_impl"}));
}

TEST(Code, ConstexprIfs) {
  std::string_view text =
      "void f() {\n  if constexpr (is_major_v<10>) { a(); } else { __trap(); }\n  if constexpr (x) "
      "b();\n  if (y) c();\n}\n";
  Structure s = read(text);
  ASSERT_EQ(s.constexpr_ifs.size(), 2u);
  EXPECT_EQ(at(text, s.constexpr_ifs[0].condition), "is_major_v<10>");
  EXPECT_EQ(at(text, s.constexpr_ifs[0].then), "{ a(); }");
  EXPECT_EQ(at(text, s.constexpr_ifs[0].otherwise), "{ __trap(); }");
  EXPECT_EQ(at(text, s.constexpr_ifs[1].then), "b();");
  EXPECT_TRUE(s.constexpr_ifs[1].otherwise.empty());
}

TEST(Code, TargetMacrosInCode) {
  std::string_view text =
      "struct A { static constexpr bool fast = __CUDA_ARCH__ >= 1000; };\n"
      "void f() { int m = (__CUDA_ARCH__ / 100); return g(__CUDA_ARCH_SPECIFIC__, 1) && "
      "__CUDA_ARCH__ < 900; }\n";
  Structure s = read(text);
  ASSERT_EQ(s.target_macros.size(), 4u);
  EXPECT_EQ(at(text, s.target_macros[0].expression), "__CUDA_ARCH__ >= 1000");
  EXPECT_EQ(s.target_macros[0].function, kNone);
  EXPECT_EQ(at(text, s.target_macros[1].expression), "__CUDA_ARCH__ / 100");
  EXPECT_EQ(at(text, s.target_macros[2].expression), "__CUDA_ARCH_SPECIFIC__");
  EXPECT_EQ(at(text, s.target_macros[3].expression), "__CUDA_ARCH__ < 900");
}

}  // namespace
}  // namespace ungate::cuda
