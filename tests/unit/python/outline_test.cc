#include "python/outline.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ungate::python {
namespace {

std::vector<std::string> texts(std::string_view text, const std::vector<Statement>& statements) {
  std::vector<std::string> out;
  for (const Statement& s : statements) out.emplace_back(text.substr(s.range.begin, s.range.size()));
  return out;
}

std::string names(std::string_view text) {
  Outline outline(text);
  std::vector<std::string> all;
  for (const Statement& s : outline.statements()) {
    Bindings b = bindings_of(text, outline, s);
    for (Symbol n : b.names) all.emplace_back(n.text());
    for (Symbol m : b.star_imports) all.push_back("*" + std::string(m.text()));
  }
  std::ranges::sort(all);
  std::string out;
  for (const std::string& n : all) out += (out.empty() ? "" : " ") + n;
  return out;
}

TEST(Outline, CutsAFileIntoStatements) {
  std::string_view text =
      "\xef\xbb\xbf# comment\n"
      "import os\n\n"
      "x = [\n  1,  # ]\n  '''(\n''',\n]\n"
      "@deco(\n  1)\n"
      "def f(a,\n      b):\n"
      "    '''doc: ( [ {'''\n"
      "    return a\n"
      "\n"
      "# between\n"
      "if x:\n    y = 1\nelif z:\n    y = 2\nelse:\n    y = 3\n"
      "s = 'it\\'s' \\\n  'more'\n"
      "class A:\n\tdef g(self): pass\n\n\tz = 1\n"
      "last = 1";
  Outline outline(text);
  auto parts = texts(text, outline.statements());
  ASSERT_EQ(parts.size(), 7u);
  EXPECT_EQ(parts[0], "import os");
  EXPECT_TRUE(parts[1].starts_with("x = [") && parts[1].ends_with("]"));
  EXPECT_TRUE(parts[2].starts_with("@deco(") && parts[2].ends_with("return a"));
  EXPECT_EQ(outline.statements()[2].name.text(), "f");
  EXPECT_TRUE(parts[3].starts_with("if x:") && parts[3].ends_with("y = 3"));
  EXPECT_TRUE(parts[4].ends_with("'more'"));
  EXPECT_EQ(outline.statements()[5].name.text(), "A");
  auto members = outline.body(text, outline.statements()[5]);
  EXPECT_EQ(texts(text, members), (std::vector<std::string>{"def g(self): pass", "z = 1"}));
  EXPECT_FALSE(outline.broken());
}

TEST(Outline, BrokenTextEndsSomewhere) {
  EXPECT_TRUE(Outline("x = (1,\ny = 2\n").broken());
  EXPECT_TRUE(Outline("x = '''\n").broken());
  EXPECT_FALSE(Outline("x = 'a\ny = 2\n").broken());  // ends with its line
  Outline(std::string("\0\xff(\"\n]", 6));
  Outline("\\");
  Outline("#");
}

TEST(Bindings, NamesThatStatementsBind) {
  EXPECT_EQ(names("a = b = c == d\n"), "a b");
  EXPECT_EQ(names("a, (b, *c) = x\n"), "a b c");
  EXPECT_EQ(names("a: Dict[str, int] = {'x': 1}\n"), "a");
  EXPECT_EQ(names("a[0] = 1\nb.c = 2\nd += 1\n"), "a b d");
  EXPECT_EQ(names("a.append(1)\nb.foo(1)\n"), "a");
  EXPECT_EQ(names("import a.b, c as d\nfrom .x import (e as f,  # why\n  g)\n"), "a d f g");
  EXPECT_EQ(names("from x.y import *\n"), "*x.y");
  EXPECT_EQ(names("f(a=1)\nassert a == 1\n"), "");
  EXPECT_EQ(names("try:\n  import a\n  OK = True\nexcept ImportError as e:\n  OK = False\n"), "OK a e");
  EXPECT_EQ(names("if x:\n  def f():\n    inner = 1\n  y = 2\nelse: z = 3\n"), "f y z");
  EXPECT_EQ(names("for i, (j, k) in pairs: pass\nwith a as b: c = 1\n"), "b c i j k");
  EXPECT_EQ(names("async def f(): pass\nclass A(B): x = 1\n"), "A f");
  EXPECT_EQ(names("a = 1; b = 2\n"), "a b");
  EXPECT_EQ(names("x <<= 1\ny = x <= 1\n"), "x y");
}

}  // namespace
}  // namespace ungate::python
