#include "cuda/expression.h"

#include <algorithm>
#include <optional>

namespace ungate::cuda {
namespace {

Number known(std::uint64_t bits, bool is_unsigned = false) {
  return {true, is_unsigned, true, bits, {}};
}
Number truth_value(bool b) { return known(b ? 1 : 0); }
Number not_known(FreeSet why) { return {false, false, true, 0, why}; }
Number no_value() { return {true, false, false, 0, {}}; }

int precedence(Punct p) {
  switch (p) {
    case Punct::or_: return 1;
    case Punct::and_: return 2;
    case Punct::bit_or: return 3;
    case Punct::bit_xor: return 4;
    case Punct::bit_and: return 5;
    case Punct::eq:
    case Punct::ne: return 6;
    case Punct::lt:
    case Punct::le:
    case Punct::gt:
    case Punct::ge: return 7;
    case Punct::shl:
    case Punct::shr: return 8;
    case Punct::plus:
    case Punct::minus: return 9;
    case Punct::star:
    case Punct::slash:
    case Punct::percent: return 10;
    default: return 0;
  }
}

Number divide(Punct op, const Number& a, const Number& b, bool is_unsigned) {
  if (b.bits == 0) return no_value();
  if (is_unsigned) return known(op == Punct::slash ? a.bits / b.bits : a.bits % b.bits, true);
  auto x = static_cast<std::int64_t>(a.bits), y = static_cast<std::int64_t>(b.bits);
  if (y == -1) return known(op == Punct::slash ? 0 - a.bits : 0);  // avoids the one overflow
  return known(static_cast<std::uint64_t>(op == Punct::slash ? x / y : x % y));
}

Number shift(bool left, const Number& a, std::int64_t by) {
  if (by < 0) {
    left = !left;
    by = by == INT64_MIN ? INT64_MAX : -by;
  }
  bool negative = !a.is_unsigned && static_cast<std::int64_t>(a.bits) < 0;
  if (by >= 64) return known(!left && negative ? ~std::uint64_t{0} : 0, a.is_unsigned);
  if (left) return known(a.bits << by, a.is_unsigned);
  if (!negative) return known(a.bits >> by, a.is_unsigned);
  return known(static_cast<std::uint64_t>(static_cast<std::int64_t>(a.bits) >> by));
}

Number compute(Punct op, const Number& a, const Number& b) {
  bool u = a.is_unsigned || b.is_unsigned;
  auto x = static_cast<std::int64_t>(a.bits), y = static_cast<std::int64_t>(b.bits);
  bool less = u ? a.bits < b.bits : x < y;
  switch (op) {
    case Punct::bit_or: return known(a.bits | b.bits, u);
    case Punct::bit_xor: return known(a.bits ^ b.bits, u);
    case Punct::bit_and: return known(a.bits & b.bits, u);
    case Punct::eq: return truth_value(a.bits == b.bits);
    case Punct::ne: return truth_value(a.bits != b.bits);
    case Punct::lt: return truth_value(less);
    case Punct::ge: return truth_value(!less);
    case Punct::gt: return truth_value(!less && a.bits != b.bits);
    case Punct::le: return truth_value(less || a.bits == b.bits);
    case Punct::shl:
    case Punct::shr: return shift(op == Punct::shl, a, y);
    case Punct::plus: return known(a.bits + b.bits, u);
    case Punct::minus: return known(a.bits - b.bits, u);
    case Punct::star: return known(a.bits * b.bits, u);
    default: return divide(op, a, b, u);
  }
}

bool is_false(const Number& n) { return n.known && n.valid && n.bits == 0; }
bool is_true(const Number& n) { return n.known && n.valid && n.bits != 0; }

class Parser {
 public:
  Parser(std::span<const Token> tokens) : tokens_(tokens) {}

  Number run(bool& syntax) {
    Number n = comma();
    syntax = ok_ && at_ == tokens_.size();
    return n;
  }

 private:
  // A condition nested deeper than this is no condition that anybody wrote.
  static constexpr int kDeepest = 200;

  const Token* peek() const { return at_ < tokens_.size() ? &tokens_[at_] : nullptr; }
  bool take(Punct p) {
    if (at_ >= tokens_.size() || tokens_[at_].punct != p) return false;
    ++at_;
    return true;
  }
  Number error() {
    ok_ = false;
    at_ = tokens_.size();
    return no_value();
  }

  Number comma() {
    Number n = conditional();
    while (take(Punct::comma)) n = conditional();
    return n;
  }

  Number conditional() {
    Number c = binary(1);
    if (!take(Punct::question)) return c;
    if (++depth_ > kDeepest) return error();
    Number a = comma();
    if (!take(Punct::colon)) return error();
    Number b = conditional();
    --depth_;
    if (!c.valid) return c;
    if (!c.known) return merge(c, a, b);
    Number chosen = c.bits != 0 ? a : b;
    chosen.is_unsigned = a.is_unsigned || b.is_unsigned;
    return chosen;
  }

  static Number merge(const Number& c, const Number& a, const Number& b) {
    if (a.known && b.known && a.valid && b.valid && a.bits == b.bits) return a;
    return not_known(c.why | a.why | b.why);
  }

  Number binary(int least) {
    Number left = unary();
    while (const Token* t = peek()) {
      Punct op = t->punct;
      int p = precedence(op);
      if (p < least || p == 0) break;
      ++at_;
      Number right = binary(p + 1);
      left = combine(op, left, right);
    }
    return left;
  }

  static Number combine(Punct op, const Number& a, const Number& b) {
    if (op == Punct::and_) {
      if (is_false(a) || (!a.known && is_false(b))) return truth_value(false);
      if (!a.valid || (a.known && !b.valid)) return no_value();
      if (is_true(a) && b.known) return truth_value(b.bits != 0);
      return not_known(a.why | b.why);
    }
    if (op == Punct::or_) {
      if (is_true(a) || (!a.known && is_true(b))) return truth_value(true);
      if (!a.valid || (a.known && !b.valid)) return no_value();
      if (is_false(a) && b.known) return truth_value(b.bits != 0);
      return not_known(a.why | b.why);
    }
    if (!a.valid || !b.valid) return no_value();
    if (!a.known || !b.known) return not_known(a.why | b.why);
    return compute(op, a, b);
  }

  Number unary() {
    const Token* t = peek();
    if (t == nullptr || ++depth_ > kDeepest) return error();
    Number n = operand(*t);
    --depth_;
    return n;
  }

  Number operand(const Token& t) {
    Punct op = t.punct;
    if (op != Punct::not_ && op != Punct::minus && op != Punct::plus && op != Punct::complement) {
      return primary();
    }
    ++at_;
    Number n = unary();
    if (!n.valid || !n.known) return n;
    switch (op) {
      case Punct::not_: return truth_value(n.bits == 0);
      case Punct::minus: return known(0 - n.bits, n.is_unsigned);
      case Punct::complement: return known(~n.bits, n.is_unsigned);
      default: return n;
    }
  }

  Number primary() {
    const Token& t = tokens_[at_++];
    if (t.punct == Punct::open) {
      Number n = comma();
      return take(Punct::close) ? n : error();
    }
    bool called = peek() != nullptr && peek()->punct == Punct::open;
    if (t.kind == TokenKind::unknown) {
      if (called && !skip_arguments()) return error();
      return not_known(value::Free{value::Free::Kind::macro, t.text});
    }
    if (t.kind == TokenKind::identifier) {
      return called ? error() : truth_value(t.text.text() == "true");
    }
    if (t.kind != TokenKind::number && t.kind != TokenKind::character) return error();
    bool syntax = true;
    Number n = literal(t, syntax);
    return syntax ? n : error();
  }

  bool skip_arguments() {
    int depth = 0;
    for (; at_ < tokens_.size(); ++at_) {
      if (tokens_[at_].punct == Punct::open) ++depth;
      if (tokens_[at_].punct == Punct::close && --depth == 0) {
        ++at_;
        return true;
      }
    }
    return false;
  }

  std::span<const Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool ok_ = true;
};

}  // namespace

Number evaluate_expression(std::span<const Token> tokens, bool& syntax) {
  return Parser(tokens).run(syntax);
}

}  // namespace ungate::cuda
