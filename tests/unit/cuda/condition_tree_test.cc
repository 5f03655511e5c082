#include "cuda/condition_tree.h"

#include <gtest/gtest.h>

#include "cuda/outcome.h"

namespace ungate::cuda {
namespace {

using Kind = ConditionNode::Kind;

struct Parsed {
  explicit Parsed(std::string_view s)
      : text(s), tokens(tokenize(s)), tree(parse_condition(tokens)) {}
  std::string_view at(source::Range r) const { return text.substr(r.begin, r.size()); }
  std::vector<std::string> leaves() const {
    std::vector<std::string> out;
    for (std::uint32_t leaf : tree.leaves) out.emplace_back(at(tree.nodes[leaf].range));
    return out;
  }
  std::string_view text;
  Tokens tokens;
  ConditionTree tree;
};
using Leaves = std::vector<std::string>;

TEST(ConditionTree, PartsHaveRanges) {
  Parsed p("(defined(A) && (B >= 900) && !(C < 1200 || D))");
  EXPECT_EQ(p.leaves(), (Leaves{"defined(A)", "B >= 900", "C < 1200", "D"}));
  const ConditionNode& root = p.tree.nodes[p.tree.root];
  EXPECT_EQ(root.kind, Kind::conjunction);
  EXPECT_EQ(p.at(root.outer), p.text);
  EXPECT_EQ(root.children.size(), 3u) << "operands of one operator are one list";
  EXPECT_EQ(p.at(root.operators[1]), "&&");
  EXPECT_EQ(p.at(p.tree.nodes[root.children[1]].outer), "(B >= 900)");
  EXPECT_EQ(p.tree.nodes[root.children[2]].kind, Kind::negation);
}

TEST(ConditionTree, OddConditionsAreOneLeaf) {
  for (const char* s : {"A ? B : C", "F(x, y)", "A &&", "|| B", "A == B == C", "(A", "A + 1",
                        "A & B && C | D", "", "1 1"}) {
    Parsed p(s);
    EXPECT_LE(p.tree.leaves.size(), 2u) << s;
    for (std::uint32_t leaf : p.tree.leaves) EXPECT_EQ(p.tree.nodes[leaf].kind, Kind::other) << s;
  }
  EXPECT_EQ(Parsed("not A and B or C").leaves(), (Leaves{"A", "B", "C"}));
  EXPECT_EQ(Parsed("!A == B").leaves(), (Leaves{"!A == B"}));
}

TEST(ConditionTree, ComparisonsOfAMacroWithANumber) {
  auto read = [](std::string_view s) {
    Parsed p(s);
    auto c = macro_comparison(p.tree.nodes[p.tree.root], p.tokens);
    if (!c) return std::string("none");
    return std::string(p.tokens[c->macro_token].text.text()) + "/" + std::to_string(c->divisor) +
           ' ' + std::to_string(static_cast<int>(c->op)) + ' ' + std::to_string(c->number);
  };
  const std::string ge = std::to_string(static_cast<int>(Punct::ge));
  EXPECT_EQ(read("X >= 900"), "X/1 " + ge + " 900");
  EXPECT_EQ(read("0x384u <= (X)"), "X/1 " + ge + " 900");
  EXPECT_EQ(read("(X / 10) >= (90)"), "X/10 " + ge + " 90");
  EXPECT_EQ(read("X >= Y"), "none");
  EXPECT_EQ(read("X + 1 >= 2"), "none");
  EXPECT_EQ(read("X"), "none");
}

TEST(FreeSet, IsOneWordWhateverTheOrder) {
  auto macro = [](int n) {
    return FreeSet(value::Free{value::Free::Kind::macro, Symbol("M" + std::to_string(n))});
  };
  EXPECT_EQ(macro(1) | macro(2), macro(2) | macro(1));
  EXPECT_EQ(macro(1) | macro(1), macro(1));
  EXPECT_EQ((macro(1) | FreeSet()).items().size(), 1u);
  FreeSet many;
  for (int i = 0; i < 30; ++i) many = many | macro(i);
  EXPECT_TRUE(many.truncated());
  EXPECT_EQ(many.items().size(), FreeSet::kMostNamed);
}

TEST(Outcome, AndOrNotOverSetsOfContexts) {
  Outcome open = unknown(value::Free{value::Free::Kind::macro, Symbol("A")});
  EXPECT_EQ(yes() & open, open);
  EXPECT_EQ(no() & open, no());
  EXPECT_EQ(!open, open);
  EXPECT_EQ(!join(yes(), no()), join(yes(), no()));
  EXPECT_EQ((join(yes(), no()) & yes()).bits, value::kTrue | value::kFalse);
  EXPECT_EQ((Outcome{} & yes()).bits, value::kNever);
}

}  // namespace
}  // namespace ungate::cuda
