#include "python/parse.h"

#include <gtest/gtest.h>

namespace ungate::python {
namespace {

std::string parsed(std::string_view text) {
  Tree tree = parse(text, {0, static_cast<std::uint32_t>(text.size())});
  EXPECT_FALSE(tree.has_errors) << text;
  std::string out;
  for (NodeId statement : tree.children(tree.root)) out += (out.empty() ? "" : "\n") + to_text(tree, statement);
  return out;
}

TEST(Parse, Expressions) {
  EXPECT_EQ(parsed("x = 0x1f + 1_000"), "(assign x (binary 31 1000))");
  EXPECT_EQ(parsed("a < b <= c not in d is not e"), "(expression (compare:2:3:7:9 a b c d e))");
  EXPECT_EQ(parsed("a or b or (c or d) and not e"), "(expression (or a b (and (or c d) (not e))))");
  EXPECT_EQ(parsed("f(1, *a, k=2, **d)"), "(expression (call f 1 (star a) (keyword 'k' 2) (double_star d)))");
  EXPECT_EQ(parsed("x[1]; x[1, 2]; x[::2]; x[a:b]"),
            "(expression (subscript x 1))\n(expression (subscript x (tuple 1 2)))\n"
            "(expression (subscript x (slice - - 2)))\n(expression (subscript x (slice a b -)))");
  EXPECT_EQ(parsed("{1: 2, **x}"), "(expression (dict 1 2 (double_star x) -))");
  EXPECT_EQ(parsed("[a for a, b in c if d if e]"),
            "(expression (comprehension a - (for (tuple a b) c) (if d) (if e)))");
  EXPECT_EQ(parsed("a if b else c"), "(expression (conditional b a c))");
  EXPECT_EQ(parsed("lambda a, *b, c=1, **k: a"),
            "(expression (lambda (params (param 'a' - -) (param:2 'b' - -) (param:1 'c' 1 -) (param:3 'k' - -)) a))");
  EXPECT_EQ(parsed("(x := 3)"), "(expression (walrus x 3))");
}

TEST(Parse, Strings) {
  EXPECT_EQ(parsed(R"('a\n\x41\u00e9' "b")"), "(expression \"a\nA\xc3\xa9" "b\")");
  EXPECT_EQ(parsed(R"(r'\d')"), "(expression \"\\d\")");
  EXPECT_EQ(parsed(R"(f"sm_{major}{minor}a")"),
            "(expression (fstring \"sm_\" (field major) (field minor) \"a\"))");
  EXPECT_EQ(parsed(R"(f"{{x}}{y!r}")"), "(expression (fstring \"{x}\" (field:1 y)))");
  EXPECT_EQ(parsed("''"), "(expression \"\")");
  EXPECT_EQ(parsed("b'x'"), "(expression b\"x\")");
}

TEST(Parse, Statements) {
  EXPECT_EQ(parsed("a = b = c"), "(assign a b c)");
  EXPECT_EQ(parsed("x: int = 1"), "(annotated x int 1)");
  EXPECT_EQ(parsed("x += 1"), "(augmented x 1)");
  EXPECT_EQ(parsed("if a:\n  b\nelif c:\n  d\nelse:\n  e\n"),
            "(if a (block (expression b)) (if:1 c (block (expression d)) (block (expression e))))");
  EXPECT_EQ(parsed("for i in x:\n  a\nelse:\n  b\n"), "(for i x (block (expression a)) (block (expression b)))");
  EXPECT_EQ(parsed("try:\n  a\nexcept (A, B) as e:\n  b\nelse:\n  c\nfinally:\n  d\n"),
            "(try (block (expression a)) (block (expression c)) (block (expression d)) "
            "(handler 'e' (tuple A B) (block (expression b))))");
  EXPECT_EQ(parsed("with a as b, c: pass"), "(with (block (pass)) (with_item a b) (with_item c -))");
  EXPECT_EQ(parsed("@d(1)\nasync def f(a: int = 2, /, *, b) -> X:\n  return\n"),
            "(function:1 'f' (params (param 'a' 2 int) (param:1 'b' - -)) X (block (return -)) (call d 1))");
  EXPECT_EQ(parsed("class A(B, metaclass=C):\n  x = 1\n"),
            "(class 'A' (block (assign x 1)) (block B (keyword 'metaclass' C)))");
  EXPECT_EQ(parsed("from ..x import a as b, c\nimport g.h as i, j.k\nfrom . import *\n"),
            "(import_from '..x' (alias 'a' as b) (alias 'c' as c))\n"
            "(import (alias 'g.h' as i) (alias 'j.k' as j))\n(import_from '.')");
  EXPECT_EQ(parsed("match a:\n  case 1 | 2 if x: pass\n  case (b, _): pass\n"),
            "(match a (case (pattern_or (pattern_value 1) (pattern_value 2)) x (block (pass))) "
            "(case (pattern_sequence (pattern_any 'b') (pattern_any)) - (block (pass))))");
}

TEST(Parse, AnIndentedPieceKeepsItsOffsets) {
  std::string_view text = "class A:\n    @p\n    def f(self):\n        return 1\n    x = 2\n";
  auto begin = static_cast<std::uint32_t>(text.find("@p"));
  auto end = static_cast<std::uint32_t>(text.find("    x = 2"));
  Tree tree = parse(text, {begin, end});
  EXPECT_FALSE(tree.has_errors);
  NodeId function = tree.child(tree.root, 0);
  ASSERT_EQ(tree[function].kind, NodeKind::function);
  EXPECT_EQ(text.substr(tree[function].range.begin, 9), "def f(sel");
}

// tree-sitter-python 0.23 does not know a starred item in a bare expression list, which is valid.
TEST(Parse, WhatTheGrammarDoesNotKnowIsReported) {
  std::string_view text = "x = 1\nreturn a, *([None] * 3)\ny = 2\n";
  Tree tree = parse(text, {0, static_cast<std::uint32_t>(text.size())});
  EXPECT_TRUE(tree.has_errors);
  EXPECT_EQ(to_text(tree, tree.child(tree.root, 0)), "(assign x 1)");
}

TEST(Parse, GarbageDoesNotCrash) {
  for (std::string text : {std::string("\0\xff\xfe\x80", 4), std::string("def ("), std::string("f'{"), std::string("((((((((("),
                           std::string("\xef\xbb\xbfx = 1\n"), std::string(5000, '['), std::string("if x:\n\t y\n  z")}) {
    Tree tree = parse(text, {0, static_cast<std::uint32_t>(text.size())});
    to_text(tree, tree.root);
  }
}

}  // namespace
}  // namespace ungate::python
