// Kernel launches and what their configuration sets.
#include <gtest/gtest.h>

#include "cuda/structure.h"

namespace ungate::cuda {
namespace {

Structure read(std::string_view text, const std::vector<LaunchMacro>& macros = {}) {
  return read_structure(text, read_directives(text), {}, macros);
}

// "function: kernel kernel pdl=… cluster=…" for each launch.
std::vector<std::string> launches(const Structure& s) {
  static const char* const kIs[] = {"no", "yes", "if ", "unknown"};
  auto show = [](const Setting& x) {
    return std::string(kIs[static_cast<int>(x.is)]) +
           (x.is == Setting::Is::conditional ? x.condition : "");
  };
  std::vector<std::string> out;
  for (const Launch& l : s.launches) {
    std::string line(s.functions[l.function].name.text());
    line += ':';
    for (Symbol k : l.kernels) line += ' ' + std::string(k.text());
    out.push_back(line + " pdl=" + show(l.programmatic) + " cluster=" + show(l.cluster));
  }
  return out;
}
using Lines = std::vector<std::string>;

TEST(Launch, Chevrons) {
  EXPECT_EQ(
      launches(read("void f() { k<<<1, 2>>>(a); ns::k2<int, 3><<<g, b, 0, s>>>(x); auto kernel = "
                    "&k3<T>; kernel<<<1, 1>>>(); }")),
      (Lines{"f: k pdl=no cluster=no", "f: k2 pdl=no cluster=no", "f: k3 pdl=no cluster=no"}));
}

constexpr std::string_view kConfigured =
    "void f(bool pdl, int size) {\n"
    "  cudaLaunchConfig_t config = {0};\n  config.gridDim = 1;\n"
    "  cudaLaunchAttribute attribute[2];\n"
    "  attribute[0].id = cudaLaunchAttributeClusterDimension;\n  attribute[0].val.clusterDim.x = "
    "size;\n"
    "  config.attrs = attribute;\n  config.numAttrs = 1;\n"
    "%s"
    "  CHECK(cudaLaunchKernelEx(&config, k<T, 2>, a, b));\n}\n";

std::string configured(std::string_view set) {
  std::string out(kConfigured);
  return out.replace(out.find("%s"), 2, set);
}

TEST(Launch, AttributesOfAConfiguration) {
  EXPECT_EQ(launches(read(configured(""))), (Lines{"f: k pdl=no cluster=yes"}));
  EXPECT_EQ(read(configured("")).launches[0].cluster_size, "size");
  const std::string set =
      "  attribute[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;\n"
      "  attribute[1].val.programmaticStreamSerializationAllowed = ";
  EXPECT_EQ(launches(read(configured(set + "1;\n config.numAttrs = 2;\n"))),
            (Lines{"f: k pdl=yes cluster=yes"}));
  EXPECT_EQ(launches(read(configured(set + "1;\n"))), (Lines{"f: k pdl=no cluster=yes"}))
      << "not counted";
  EXPECT_EQ(launches(read(configured(set + "0;\n config.numAttrs = 2;\n"))),
            (Lines{"f: k pdl=no cluster=yes"}));
  EXPECT_EQ(launches(read(configured(set + "pdl ? 1 : 0;\n config.numAttrs = 2;\n"))),
            (Lines{"f: k pdl=if pdl cluster=yes"}));
  EXPECT_EQ(launches(read(configured("  if (pdl) {\n" + set + "1;\n config.numAttrs++;\n  }\n"))),
            (Lines{"f: k pdl=if pdl cluster=yes"}));
  EXPECT_EQ(launches(read(configured(set + "x.pdl;\n config.numAttrs = sm >= 90 ? 2 : 1;\n"))),
            (Lines{"f: k pdl=if x.pdl && sm >= 90 cluster=yes"}));
}

TEST(Launch, InitializersOfAConfiguration) {
  const std::string attribute =
      "void f() { cudaLaunchAttribute a; a.id = "
      "cudaLaunchAttributeProgrammaticStreamSerialization;\n"
      " a.val.programmaticStreamSerializationAllowed = on;\n";
  EXPECT_EQ(launches(read(
                attribute +
                "cudaLaunchConfig_t c{grid, block, 0, s, &a, 1}; cudaLaunchKernelEx(&c, k, x); }")),
            (Lines{"f: k pdl=if on cluster=no"}));
  EXPECT_EQ(
      launches(read(attribute + "cudaLaunchConfig_t c{.gridDim = g, .attrs = &a, .numAttrs = 1};\n"
                                "cudaLaunchKernelExC(&c, (void*)k, args); }")),
      (Lines{"f: k pdl=if on cluster=no"}));
  EXPECT_EQ(launches(read(attribute + "cudaLaunchConfig_t c{}; cudaLaunchKernelEx(&c, k, x); }")),
            (Lines{"f: k pdl=no cluster=no"}))
      << "another configuration";
}

// Two blocks with variables of the same names: each launch has its own.
TEST(Launch, VariablesOfOtherBlocksDoNotCount) {
  const std::string set =
      "cudaLaunchConfig_t c = {0}; cudaLaunchAttribute a[1]; a[0].id = "
      "cudaLaunchAttributeProgrammaticStreamSerialization;\n"
      "a[0].val.programmaticStreamSerializationAllowed = 1; c.attrs = a; c.numAttrs = 1;\n";
  EXPECT_EQ(
      launches(read("void f() { if (x) { " + set +
                    "cudaLaunchKernelEx(&c, k1); } else {\n"
                    "cudaLaunchConfig_t c = {0}; auto k = k2; cudaLaunchKernelEx(&c, k); } }")),
      (Lines{"f: k1 pdl=yes cluster=no", "f: k2 pdl=no cluster=no"}));
}

TEST(Launch, KernelsInVariables) {
  const std::string launch =
      "cudaLaunchKernel(reinterpret_cast<void*>(kernel), g, b, args, 0, s); }";
  EXPECT_EQ(launches(read("void f() { auto kernel = x ? &ns::k1<T> : k2<T>; " + launch)),
            (Lines{"f: k1 k2 pdl=no cluster=no"}));
  EXPECT_EQ(launches(read("void f() { void (*kernel)(int) = k1; if (x) kernel = k2; " + launch)),
            (Lines{"f: k2 k1 pdl=no cluster=no"}));
  EXPECT_EQ(
      launches(read("void f() { auto kernel = [&] { return x ? &k1<T> : &k2<T>; }(); " + launch)),
      (Lines{"f: k1 k2 pdl=no cluster=no"}));
  EXPECT_EQ(launches(read("template <class K> void f(K kernel) { " + launch +
                          " void g() { f(k1); f(&k2<T>); }")),
            (Lines{"f: k1 k2 pdl=no cluster=no"}));
}

TEST(Launch, InsideMacros) {
  std::string_view text =
      "void f(int n, bool pdl) {\n"
      "  cudaLaunchConfig_t config; cudaLaunchAttribute a[1];\n"
      "  a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;\n"
      "  a[0].val.programmaticStreamSerializationAllowed = pdl;\n  config.attrs = a; "
      "config.numAttrs = 1;\n"
      "#define LAUNCH(N)                                  \\\n"
      "  if (n == N) {                                    \\\n"
      "    CHECK(cudaLaunchKernelEx(&config, k<N>, n));   \\\n"
      "  }\n"
      "#define ALL(X) LAUNCH(X) LAUNCH(X + 1)\n"
      "  LAUNCH(1);\n  ALL(2);\n#undef LAUNCH\n}\n"
      "void g() {\n#define LAUNCH(K) K##_kernel<<<1, 1>>>()\n  LAUNCH(fast);\n}\n";
  Structure s = read(text);
  EXPECT_EQ(launches(s), (Lines{"f: k pdl=if pdl cluster=no", "f: k pdl=if pdl cluster=no",
                                "g: fast_kernel pdl=no cluster=no"}));
  EXPECT_EQ(s.launches[0].macro.text(), "LAUNCH");
  EXPECT_EQ(s.launches[1].macro.text(), "ALL");
  EXPECT_EQ(text.substr(s.launches[1].range.begin, s.launches[1].range.size()), "ALL(2)");
}

TEST(Launch, MacrosOfOtherFiles) {
  std::string_view header =
      "#define RUN(data, kernel, ...) do { cudaLaunchConfig_t c{}; cudaLaunchAttribute a[1]; \\\n"
      " a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization; \\\n"
      " a[0].val.programmaticStreamSerializationAllowed = int(data.pdl); \\\n"
      " c.attrs = a; c.numAttrs = 1; auto typed = kernel<__VA_ARGS__>; cudaLaunchKernelEx(&c, "
      "typed, data); } while (0)\n"
      "#define OTHER(x) x\n";
  std::vector<LaunchMacro> macros = launch_macros(header, read_directives(header), {});
  ASSERT_EQ(macros.size(), 1u);
  EXPECT_EQ(launches(read("void f() { RUN(d, k, int, 3); }", macros)),
            (Lines{"f: k pdl=if int(d.pdl) cluster=no"}));
}

TEST(Launch, ConfigurationsFromElsewhere) {
  std::string helper =
      "cudaLaunchConfig_t make(dim3 g, bool on) { static cudaLaunchAttribute a;\n"
      "a.id = cudaLaunchAttributeProgrammaticStreamSerialization; "
      "a.val.programmaticStreamSerializationAllowed = (on ? 1 : 0);\n"
      "cudaLaunchConfig_t c{g, g, 0, 0, &a, 1}; return c; }\n";
  std::string user =
      "void by_helper() { auto const c = make(1, true); cudaLaunchKernelEx(&c, k1); }\n"
      "void by_parameter(P p, cudaLaunchConfig_t& cfg) { cudaLaunchKernelEx(&cfg, k2); }\n"
      "void caller() { cudaLaunchConfig_t c = {}; by_parameter(p, c); }\n"
      "void nobody_calls(cudaLaunchConfig_t cfg) { cudaLaunchKernelEx(&cfg, k3); }\n";
  Structure a = read(helper), b = read(user);
  EXPECT_EQ(launches(b), (Lines{"by_helper: k1 pdl=unknown cluster=unknown",
                                "by_parameter: k2 pdl=unknown cluster=unknown",
                                "nobody_calls: k3 pdl=unknown cluster=unknown"}));
  link_launches({&a, &b});
  EXPECT_EQ(launches(b),
            (Lines{"by_helper: k1 pdl=if on cluster=no", "by_parameter: k2 pdl=no cluster=no",
                   "nobody_calls: k3 pdl=unknown cluster=unknown"}));
}

TEST(Launch, SettingsOfSeveralPlaces) {
  Setting yes{Setting::Is::yes, {}, {}}, no, a{Setting::Is::conditional, "a", {}},
      open{Setting::Is::unknown, "x", {}};
  EXPECT_EQ(either(yes, yes).is, Setting::Is::yes);
  EXPECT_EQ(either(no, no).is, Setting::Is::no);
  EXPECT_EQ(either(yes, no).is, Setting::Is::conditional);
  EXPECT_EQ(either(no, a).condition, "a");
  EXPECT_EQ(either(open, yes).is, Setting::Is::unknown);
}

}  // namespace
}  // namespace ungate::cuda
