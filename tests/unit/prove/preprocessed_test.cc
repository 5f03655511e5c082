#include "prove/preprocessed.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace ungate::prove {
namespace {

const std::string kBefore = R"(# 1 "/env/a.cu"
namespace n {
__attribute__((device)) int twice(int x) { return 2 * x; }
template <class T> __attribute__((global)) void kernel(T* p) { p[0] = twice(p[1]); }
inline int blocks(int n) { return n / 8; }
struct Launcher {
  int size = 3;
  void go(float* p) const { launch(kernel<float>, p, blocks(size)); }
};
constexpr int limit() { return 9; }
}
)";

Preprocessed read(const std::string& text) {
  return read_preprocessed(text, Tree({"/env"}));
}

std::string with(const std::string& from, const std::string& to) {
  std::string out = kBefore;
  std::size_t at = out.find(from);
  EXPECT_NE(at, out.npos) << from;
  return out.replace(at, from.size(), to);
}

Difference edited(const std::string& from, const std::string& to) {
  return compare(read(kBefore), read(with(from, to)));
}

TEST(Preprocessed, WhiteSpaceAndLineMarkersDoNotCount) {
  Difference d = edited("return n / 8;", "return\n# 77 \"/env/b.cuh\"\n   n/8 ;");
  EXPECT_FALSE(d.tokens);
  EXPECT_FALSE(d.device);
}

TEST(Preprocessed, OperatorsAreKeptApart) {
  EXPECT_NE(read("a = b - -c;").hash, read("a = b --c;").hash);
  EXPECT_NE(read("x = 1.5e+3;").hash, read("x = 1.5e + 3;").hash);
  EXPECT_EQ(read("f( a ) ;").hash, read("f(a);").hash);
  EXPECT_NE(read("s = \"a b\";").hash, read("s = \"a  b\";").hash);
  EXPECT_NE(read("s = R\"(a\nb)\";").hash, read("s = R\"(a b)\";").hash);
}

TEST(Preprocessed, BodiesOfTheHostDoNotReachTheDevice) {
  Difference d = edited("return n / 8;", "return n / 4;");
  EXPECT_TRUE(d.tokens);
  EXPECT_FALSE(d.device);
  ASSERT_EQ(d.host.size(), 1u);
  EXPECT_EQ(d.host[0], "blocks (/ungate/site0/a.cu:4)");
  EXPECT_FALSE(edited("blocks(size)", "1").device);
}

TEST(Preprocessed, DeviceCodeDoes) {
  Difference d = edited("return 2 * x;", "return 3 * x;");
  EXPECT_TRUE(d.device);
  EXPECT_EQ(d.where, "/ungate/site0/a.cu:2");
  EXPECT_TRUE(edited("p[0] =", "p[1] =").device);
}

TEST(Preprocessed, SoDoConstexprFunctionsAndMembers) {
  EXPECT_TRUE(edited("return 9;", "return 8;").device);
  EXPECT_TRUE(edited("int size = 3;", "int size = 4;").device);
}

TEST(Preprocessed, SoDoBodiesThatTheDeviceCouldSee) {
  // A local class can be the argument of a template, a marked lambda is device code.
  EXPECT_TRUE(edited("return n / 8;", "struct Local { int x; }; return sizeof(Local);").device);
  EXPECT_TRUE(edited("return n / 8;", "auto f = [] __attribute__((device)) (int x) { return x; }; return 1;").device);
  // The body decides the return type.
  std::string deduced = with("inline int blocks", "inline auto blocks");
  std::string other = deduced;
  other.replace(other.find("n / 8"), 5, "n / 8.0");
  EXPECT_TRUE(compare(read(deduced), read(other)).device);
}

TEST(Preprocessed, ANewHostFunctionIsNoDifferenceUnlessTheDeviceNamesIt) {
  Difference d = edited("inline int blocks", "inline int fewer(int n) { return n - 1; }\ninline int blocks");
  EXPECT_FALSE(d.device);
  ASSERT_EQ(d.host.size(), 1u);
  EXPECT_EQ(d.host[0].substr(0, 5), "fewer");
  // It could be meant instead of the one that was meant before.
  EXPECT_TRUE(edited("inline int blocks", "inline int twice(long n) { return 1; }\ninline int blocks").device);
}

TEST(Preprocessed, DefaultsOfTemplateParametersAreNoAssignment) {
  std::string kernel = "template <class T, bool B = true> __attribute__((global)) void k(T* p) { p[0] = B; }\n";
  std::string launcher = "template <class T, bool B = true> int launcher(T* p, int n = 3) { return go(k<T, B>, p, n); }\n";
  Difference d = compare(read(kernel + launcher), read(kernel + text::replace_all(launcher, "p, n);", "p, n + 1);")));
  EXPECT_TRUE(d.tokens);
  EXPECT_FALSE(d.device) << d.where;
  ASSERT_EQ(d.host.size(), 1u);
  EXPECT_EQ(d.host[0].substr(0, 8), "launcher");
}

TEST(Preprocessed, AChangedSignatureIsAnotherFunction) {
  Difference d = edited("inline int blocks(int n)", "inline int blocks(long n)");
  EXPECT_TRUE(d.tokens);
  EXPECT_FALSE(d.device);
  EXPECT_FALSE(d.host.empty());
}

TEST(Preprocessed, FilesAreNamedByTheirTree) {
  Preprocessed p = read("# 1 \"/env/x/a.cu\"\n# 1 \"<built-in>\"\n# 1 \"/usr/include/m.h\" 1 3\nint x;\n# 9 \"/env/x/a.cu\" 2\n");
  EXPECT_EQ(p.files, (std::vector<std::string>{"/ungate/site0/x/a.cu", "/usr/include/m.h"}));
}

TEST(Preprocessed, BrokenTextIsReadToItsEnd) {
  EXPECT_EQ(read("").pieces.size(), 0u);
  read("{{{{ ) ) template < class struct { ( \"open");
  read("} } ; namespace { R\"(");
}

}  // namespace
}  // namespace ungate::prove
