#include "cuda/directives.h"

#include <gtest/gtest.h>

#include <random>

#include "cuda/token.h"

namespace ungate::cuda {
namespace {

std::string_view at(std::string_view text, source::Range r) {
  return text.substr(r.begin, r.size());
}

std::vector<std::string> conditions(std::string_view text) {
  std::vector<std::string> out;
  for (const Arm& arm : read_directives(text).arms) out.emplace_back(at(text, arm.condition));
  return out;
}

TEST(Directives, TreeOfArms) {
  std::string_view text =
      "#pragma once\n"
      "#ifdef A\n"
      "a\n"
      "# if B > 1 // why\n"
      "b\n"
      "# elif C /* c */\n"
      "c\n"
      "# else\n"
      "d\n"
      "# endif\n"
      "#else\n"
      "e\n"
      "#endif\n"
      "f\n";
  Directives d = read_directives(text);
  ASSERT_EQ(d.arms.size(), 5u);
  ASSERT_EQ(d.chains.size(), 2u);
  EXPECT_TRUE(d.problems.empty());
  EXPECT_TRUE(d.pragma_once);
  EXPECT_EQ(conditions(text), (std::vector<std::string>{"A", "B > 1", "C", "", ""}));
  EXPECT_EQ(at(text, d.arms[1].text), "b\n");
  EXPECT_EQ(at(text, d.arms[3].text), "d\n");
  EXPECT_EQ(at(text, d.arms[4].text), "e\n");
  EXPECT_EQ(d.arms[1].parent, 0u);
  EXPECT_EQ(d.arms[4].parent, kNone);
  EXPECT_EQ(d.arms[0].next, 4u);
  EXPECT_EQ(d.arms[1].next, 2u);
  EXPECT_EQ(d.chains[1].last, 3u);
  auto arm_of = [&](const char* word) {
    return arm_at(d, static_cast<std::uint32_t>(text.find(std::string("\n") + word) + 1));
  };
  EXPECT_EQ(arm_of("a\n"), 0u);
  EXPECT_EQ(arm_of("c\n"), 2u);
  EXPECT_EQ(arm_of("e\n"), 4u);
  EXPECT_EQ(arm_of("f\n"), kNone);
}

TEST(Directives, HashesThatAreNone) {
  EXPECT_TRUE(read_directives("x # define A\n\"\n#if A\"\n").list.empty() == false)
      << "a string ends at its line";
  EXPECT_TRUE(read_directives("/*\n#if A\n*/ int x; // \\\n#if B\n").list.empty());
  EXPECT_TRUE(read_directives("auto s = R\"(\n#if A\n)\";\n").list.empty());
  EXPECT_TRUE(read_directives("auto s = u8R\"x(\n)\"\n#if A\n)x\";\n").list.empty());
  EXPECT_TRUE(
      read_directives("f(\"/*\"); g('\"'); // \"\nh(\"\\\"\" \\\n#if A\n);\n").list.empty());
  EXPECT_EQ(read_directives("int n = 1'000'000;\n#if A\n#endif\n").arms.size(), 1u);
  EXPECT_EQ(read_directives("char c = L'\\'', d = '\"';\n#if A\n#endif\n").arms.size(), 1u);
  EXPECT_EQ(read_directives("#if 0\nit's prose, isn't it\n#endif\n#if A\n#endif\n").arms.size(),
            2u);
  EXPECT_EQ(read_directives("#define R \"(\"\n#if A\n#endif\n").arms.size(), 1u);
}

TEST(Directives, HashesThatAre) {
  EXPECT_EQ(conditions("\xef\xbb\xbf#if A\n#endif\n"), (std::vector<std::string>{"A"}));
  EXPECT_EQ(conditions("/* a\n b */ # /* c */ if A /* d */ && B\r\n#endif\r\n"),
            (std::vector<std::string>{"A /* d */ && B"}));
  EXPECT_EQ(conditions(" \t#\tif(A)\n#endif"), (std::vector<std::string>{"(A)"}));
  EXPECT_EQ(conditions("#if A || \\\n    B \\  \n  || C\n#endif\n"),
            (std::vector<std::string>{"A || \\\n    B \\  \n  || C"}));
  EXPECT_EQ(conditions("#i\\\nf A\n#endif\n").size(), 0u)
      << "a keyword in two pieces is not supported";
}

TEST(Directives, Defines) {
  std::string_view text =
      "#define A\n"
      "#define B 1 + /* x */ 2 // y\n"
      "#define F(a, b ,...) a \\\n  b\n"
      "#define G (x)\n"
      "#undef B\n";
  Directives d = read_directives(text);
  ASSERT_EQ(d.defines.size(), 4u);
  EXPECT_TRUE(d.defines[0].body.empty());
  EXPECT_EQ(at(text, d.defines[1].body), "1 + /* x */ 2");
  EXPECT_TRUE(d.defines[2].function_like && d.defines[2].variadic);
  ASSERT_EQ(d.defines[2].parameters.size(), 2u);
  EXPECT_EQ(at(text, d.defines[2].parameters[1]), "b");
  EXPECT_EQ(at(text, d.defines[2].body), "a \\\n  b");
  EXPECT_FALSE(d.defines[3].function_like);
  EXPECT_EQ(at(text, d.defines[3].body), "(x)");
  EXPECT_EQ(d.list[4].kind, DirectiveKind::undef);
  EXPECT_EQ(at(text, d.list[4].operand), "B");
}

TEST(Directives, Includes) {
  std::string_view text =
      "#include <a//b.h> // x\n#include \"c.h\"\n#include CUDA_STD_HEADER(x)\n#error don't\n";
  Directives d = read_directives(text);
  ASSERT_EQ(d.list.size(), 4u);
  EXPECT_EQ(include_name(at(text, d.list[0].operand)).name, "a//b.h");
  EXPECT_TRUE(include_name(at(text, d.list[0].operand)).angled);
  EXPECT_EQ(include_name(at(text, d.list[1].operand)).name, "c.h");
  EXPECT_TRUE(include_name(at(text, d.list[2].operand)).name.empty());
  EXPECT_EQ(at(text, d.list[3].operand), "don't");
}

TEST(Directives, IncludeGuards) {
  auto guarded = [](std::string_view text) { return read_directives(text).guard_arm != kNone; };
  EXPECT_TRUE(guarded("// license\n#ifndef A_H\n#define A_H\nint x;\n#endif // A_H\n"));
  EXPECT_TRUE(guarded("#if !defined(A_H)\n#define A_H 1\nint x;\n#endif\n"));
  EXPECT_FALSE(guarded("#ifndef A\n#define A 1\n#endif\n")) << "a default";
  EXPECT_FALSE(guarded("#ifndef A_H\n#define A_H\n#else\n#endif\n"));
  EXPECT_FALSE(guarded("#ifndef A_H\n#define A_H\n#endif\n#if B\n#endif\n"));
  EXPECT_FALSE(guarded("#ifndef A_H\n#define B_H\nint x;\n#endif\n"));
}

TEST(Directives, BrokenTextIsReported) {
  auto kinds = [](std::string_view text) {
    std::vector<Problem::Kind> out;
    for (const Problem& p : read_directives(text).problems) out.push_back(p.kind);
    return out;
  };
  using K = Problem::Kind;
  EXPECT_EQ(kinds("#endif\n#else\n"), (std::vector{K::unmatched, K::unmatched}));
  EXPECT_EQ(kinds("#if A\n#else\n#elif B\n#endif\n"), (std::vector{K::after_else}));
  EXPECT_EQ(kinds("#if A\n#if B\n"),
            (std::vector{K::unterminated_conditional, K::unterminated_conditional}));
  EXPECT_EQ(kinds("#if\n#endif\n"), (std::vector{K::malformed}));
  EXPECT_EQ(kinds("/* x\n"), (std::vector{K::unterminated_comment}));
  EXPECT_EQ(kinds("auto s = R\"(x\n"), (std::vector{K::unterminated_string}));
  EXPECT_EQ(kinds("#define 1\n#include\n"), (std::vector{K::malformed, K::malformed}));
  Directives d = read_directives("#if A\nx");
  EXPECT_EQ(d.arms[0].text, (source::Range{6, 7})) << "an arm without #endif goes to the end";
}

TEST(Token, SplicesCommentsAndAlternatives) {
  Tokens t = tokenize("de\\\nfined(A) /* x */ and not B>=0x1F'0u // end\n && 'a'");
  std::vector<std::string> spelled;
  for (const Token& token : t) spelled.emplace_back(token.text.text());
  EXPECT_EQ(spelled, (std::vector<std::string>{"defined", "(", "A", ")", "and", "not", "B",
                                               ">=", "0x1F'0u", "&&", "'a'"}));
  EXPECT_EQ(t[0].range, (source::Range{0, 9}));
  EXPECT_EQ(t[4].punct, Punct::and_);
}

}  // namespace
}  // namespace ungate::cuda
