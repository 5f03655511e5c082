#include "cuda/condition_tree.h"

#include "cuda/expression.h"

namespace ungate::cuda {
namespace {

using Kind = ConditionNode::Kind;

bool compares(Punct p) {
  switch (p) {
    case Punct::eq:
    case Punct::ne:
    case Punct::lt:
    case Punct::le:
    case Punct::gt:
    case Punct::ge: return true;
    default: return false;
  }
}

// Operators that bind weaker than a comparison but stronger than &&.
bool is_bitwise(Punct p) {
  return p == Punct::bit_and || p == Punct::bit_or || p == Punct::bit_xor;
}

Punct mirrored(Punct p) {
  switch (p) {
    case Punct::lt: return Punct::gt;
    case Punct::le: return Punct::ge;
    case Punct::gt: return Punct::lt;
    case Punct::ge: return Punct::le;
    default: return p;
  }
}

// The ')' of the '(' at `open`, or an impossible place.
std::uint32_t closing(std::span<const Token> tokens, std::uint32_t open) {
  int depth = 0;
  for (std::uint32_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].punct == Punct::open) ++depth;
    if (tokens[i].punct == Punct::close && --depth == 0) return i;
  }
  return kNone - 1;
}

class Parser {
 public:
  explicit Parser(std::span<const Token> tokens) : tokens_(tokens) {}

  ConditionTree run() {
    if (!tokens_.empty()) tree_.root = parse(0, u32(tokens_.size()), 0);
    return std::move(tree_);
  }

 private:
  static constexpr int kDeepest = 100;
  static std::uint32_t u32(std::size_t n) { return static_cast<std::uint32_t>(n); }

  std::uint32_t add(Kind kind, std::uint32_t begin, std::uint32_t end) {
    ConditionNode node;
    node.kind = kind;
    node.begin = begin;
    node.end = end;
    node.range = node.outer = {tokens_[begin].range.begin, tokens_[end - 1].range.end};
    tree_.nodes.push_back(std::move(node));
    return u32(tree_.nodes.size() - 1);
  }

  std::uint32_t leaf(Kind kind, std::uint32_t begin, std::uint32_t end) {
    std::uint32_t index = add(kind, begin, end);
    tree_.leaves.push_back(index);
    return index;
  }

  // Positions of tokens outside parentheses for which `f` holds; false if parentheses do not match.
  template <class F>
  bool outside(std::uint32_t begin, std::uint32_t end, F&& f,
               std::vector<std::uint32_t>& out) const {
    int depth = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      if (tokens_[i].punct == Punct::open) ++depth;
      if (tokens_[i].punct == Punct::close && --depth < 0) return false;
      if (depth == 0 && f(tokens_[i].punct)) out.push_back(i);
    }
    return depth == 0;
  }

  // An expression of the tokens [begin, end), which are not none.
  std::uint32_t parse(std::uint32_t begin, std::uint32_t end, int depth) {
    std::vector<std::uint32_t> at;
    if (depth > kDeepest) return leaf(Kind::other, begin, end);
    bool matched = outside(
        begin, end, [](Punct p) { return p == Punct::question || p == Punct::comma; }, at);
    if (!matched || !at.empty()) return leaf(Kind::other, begin, end);
    for (auto [op, kind] :
         {std::pair{Punct::or_, Kind::disjunction}, {Punct::and_, Kind::conjunction}}) {
      at.clear();
      outside(
          begin, end, [op = op](Punct p) { return p == op; }, at);
      if (!at.empty()) return list(kind, begin, end, at, depth);
    }
    return operand(begin, end, depth);
  }

  std::uint32_t list(Kind kind, std::uint32_t begin, std::uint32_t end,
                     const std::vector<std::uint32_t>& at, int depth) {
    if (at.front() == begin || at.back() + 1 == end) return leaf(Kind::other, begin, end);
    for (std::size_t i = 1; i < at.size(); ++i) {
      if (at[i] == at[i - 1] + 1) return leaf(Kind::other, begin, end);
    }
    std::uint32_t index = add(kind, begin, end);
    std::uint32_t from = begin;
    for (std::size_t i = 0; i <= at.size(); ++i) {
      std::uint32_t to = i < at.size() ? at[i] : end;
      std::uint32_t child = parse(from, to, depth + 1);
      tree_.nodes[index].children.push_back(child);
      if (i < at.size()) tree_.nodes[index].operators.push_back(tokens_[at[i]].range);
      from = to + 1;
    }
    return index;
  }

  std::uint32_t operand(std::uint32_t begin, std::uint32_t end, int depth) {
    std::vector<std::uint32_t> at;
    outside(begin, end, is_bitwise, at);
    if (!at.empty()) return leaf(Kind::other, begin, end);
    outside(begin, end, compares, at);
    if (at.size() == 1 && at[0] != begin && at[0] + 1 != end) {
      std::uint32_t index = leaf(Kind::comparison, begin, end);
      tree_.nodes[index].op = tokens_[at[0]].punct;
      tree_.nodes[index].op_token = at[0];
      return index;
    }
    if (!at.empty()) return leaf(Kind::other, begin, end);
    const Token& first = tokens_[begin];
    if (first.punct == Punct::not_ && begin + 1 < end && is_unary(begin + 1, end)) {
      std::uint32_t index = add(Kind::negation, begin, end);
      tree_.nodes[index].operators.push_back(first.range);
      std::uint32_t child = parse(begin + 1, end, depth + 1);
      tree_.nodes[index].children.push_back(child);
      return index;
    }
    if (first.punct == Punct::open && closing(tokens_, begin) + 1 == end && begin + 2 < end) {
      std::uint32_t index = parse(begin + 1, end - 1, depth + 1);
      tree_.nodes[index].outer = {first.range.begin, tokens_[end - 1].range.end};
      return index;
    }
    return word(begin, end);
  }

  std::uint32_t word(std::uint32_t begin, std::uint32_t end) {
    const Token& first = tokens_[begin];
    std::uint32_t n = end - begin;
    if (first.kind == TokenKind::identifier && first.text.text() == "defined" &&
        (n == 2 || n == 4)) {
      std::uint32_t name = n == 2 ? begin + 1 : begin + 2;
      if (tokens_[name].kind == TokenKind::identifier) {
        std::uint32_t index = leaf(Kind::defined, begin, end);
        tree_.nodes[index].name_token = name;
        return index;
      }
    }
    if (n != 1) return leaf(Kind::other, begin, end);
    if (first.kind == TokenKind::number) return leaf(Kind::number, begin, end);
    if (first.kind != TokenKind::identifier) return leaf(Kind::other, begin, end);
    std::uint32_t index = leaf(Kind::name, begin, end);
    tree_.nodes[index].name_token = begin;
    return index;
  }

  // True if [begin, end) is one operand of '!': no binary operator outside parentheses.
  bool is_unary(std::uint32_t begin, std::uint32_t end) const {
    while (begin < end && tokens_[begin].punct == Punct::not_) ++begin;
    if (begin == end) return false;
    if (tokens_[begin].punct == Punct::open) return closing(tokens_, begin) + 1 == end;
    if (tokens_[begin].kind != TokenKind::identifier && tokens_[begin].kind != TokenKind::number)
      return false;
    std::uint32_t next = begin + 1;
    if (tokens_[begin].text.text() == "defined" && next < end &&
        tokens_[next].kind == TokenKind::identifier) {
      return next + 1 == end;
    }
    return next == end || (tokens_[next].punct == Punct::open && closing(tokens_, next) + 1 == end);
  }

  std::span<const Token> tokens_;
  ConditionTree tree_;
};

// The tokens inside redundant parentheses.
std::pair<std::uint32_t, std::uint32_t> bare(std::uint32_t begin, std::uint32_t end,
                                             std::span<const Token> tokens) {
  while (end - begin > 2 && tokens[begin].punct == Punct::open &&
         closing(tokens, begin) + 1 == end) {
    ++begin;
    --end;
  }
  return {begin, end};
}

}  // namespace

ConditionTree parse_condition(std::span<const Token> tokens) { return Parser(tokens).run(); }

std::optional<MacroComparison> macro_comparison(const ConditionNode& node,
                                                std::span<const Token> tokens) {
  if (node.kind != Kind::comparison) return std::nullopt;
  auto [a, a_end] = bare(node.begin, node.op_token, tokens);
  auto [b, b_end] = bare(node.op_token + 1, node.end, tokens);
  MacroComparison c{};
  c.op = node.op;
  c.reversed = tokens[a].kind == TokenKind::number;
  if (c.reversed) {
    std::swap(a, b);
    std::swap(a_end, b_end);
    c.op = mirrored(c.op);
  }
  if (b_end - b != 1 || tokens[b].kind != TokenKind::number) return std::nullopt;
  if (tokens[a].kind != TokenKind::identifier) return std::nullopt;
  bool syntax = true;
  c.divisor = 1;
  if (a_end - a == 3 && tokens[a + 1].punct == Punct::slash &&
      tokens[a + 2].kind == TokenKind::number) {
    c.divisor = static_cast<std::int64_t>(literal(tokens[a + 2], syntax).bits);
  } else if (a_end - a != 1) {
    return std::nullopt;
  }
  c.number = static_cast<std::int64_t>(literal(tokens[b], syntax).bits);
  c.macro_token = a;
  c.number_token = b;
  if (!syntax || c.divisor <= 0) return std::nullopt;
  return c;
}

}  // namespace ungate::cuda
