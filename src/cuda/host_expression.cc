#include "cuda/host_expression.h"

#include "base/text.h"

namespace ungate::cuda {
namespace {

constexpr int kDeepest = 60;  // brackets and calls inside each other

struct Operator {
  std::string_view text;
  int precedence;
  HostOp op;
};
constexpr Operator kOperators[] = {
    {"||", 1, HostOp::or_},    {"or", 1, HostOp::or_},      {"&&", 2, HostOp::and_},
    {"and", 2, HostOp::and_},  {"|", 3, HostOp::bit_or},    {"^", 4, HostOp::bit_xor},
    {"&", 5, HostOp::bit_and}, {"==", 6, HostOp::eq},       {"!=", 6, HostOp::ne},
    {"<", 7, HostOp::lt},      {"<=", 7, HostOp::le},       {">", 7, HostOp::gt},
    {">=", 7, HostOp::ge},     {"<<", 8, HostOp::shl},      {">>", 8, HostOp::shr},
    {"+", 9, HostOp::add},     {"-", 9, HostOp::sub},       {"*", 10, HostOp::mul},
    {"/", 10, HostOp::div},    {"%", 10, HostOp::mod}};

const Operator* operator_at(const Lexeme& l) {
  for (const Operator& o : kOperators) {
    if (l.is(o.text)) return &o;
  }
  return nullptr;
}

bool compares(HostOp op) { return op >= HostOp::eq && op <= HostOp::ge; }
bool joins(HostOp op) { return op == HostOp::and_ || op == HostOp::or_; }

HostValue number(std::string_view text) {
  std::string digits;
  bool hex = text.starts_with("0x") || text.starts_with("0X");
  for (char c : text) {
    if (c == '\'') continue;
    bool suffix = c == 'u' || c == 'U' || c == 'l' || c == 'L' || c == 'z' || c == 'Z';
    if (suffix && !hex) break;
    digits += c;
  }
  std::int64_t n = 0;
  if (hex || !text::parse_int(digits, n)) return {{HostScalar(HostNumbers{})}};
  return host_number(n);
}

HostValue open() { return {{HostScalar(HostNumbers{})}}; }

}  // namespace

HostValue HostExpression::value(std::size_t begin, std::size_t end,
                                HostChoice::Position position) {
  std::size_t outer_at = at_, outer_end = end_;
  HostChoice::Position outer = position_;
  std::vector<std::uint32_t> outer_fresh = std::exchange(fresh_, {});
  at_ = begin, end_ = end, position_ = position;
  Node n;
  n.value = open();
  if (begin < end && ++depth_ < kDeepest) {
    n = l_[begin].is("{") ? Node{tuple(begin + 1, after_brackets(l_, begin, end) - 1), begin, end,
                                 std::nullopt, false}
                          : ternary();
    if (at_ < end && !l_[begin].is("{")) n.value = open();  // something that was not understood
  }
  --depth_;
  bool tests = position == HostChoice::Position::condition ||
               position == HostChoice::Position::returned;
  record(n);
  if (rec_ != nullptr && tests && !fresh_.empty()) {
    auto index = static_cast<std::uint32_t>(rec_->out->conditions.size());
    rec_->out->conditions.push_back({outcome_of(n.value.scalar()), alive_, rec_->want});
    for (std::uint32_t c : fresh_) rec_->out->list[c].condition = index;
  }
  at_ = outer_at, end_ = outer_end, position_ = outer, fresh_ = std::move(outer_fresh);
  return n.value;
}

bool HostExpression::is_leaf(const Node& n) const {
  if (!n.kind || n.recorded || rec_ == nullptr || rec_->muted) return false;
  // A stored flag or a passed one is no choice of its own.
  bool tests = position_ == HostChoice::Position::condition ||
               position_ == HostChoice::Position::returned;
  if ((*n.kind == Kind::flag || *n.kind == Kind::call) && !tests) return false;
  HostScalar v = n.value.scalar();
  return is_truth(v) && outcome_of(v).differs(alive_ & arch::known_devices());
}

void HostExpression::record(Node& n) {
  if (!is_leaf(n)) return;
  HostChoice c;
  c.range = {l_[n.begin].begin, l_[n.end - 1].end};
  c.kind = *n.kind;
  c.position = position_;
  c.outcome = outcome_of(n.value.scalar());
  c.alive = alive_;
  c.elsewhere = rec_->elsewhere;
  c.function = rec_->function;
  c.asked_bytes = n.asked_bytes;
  bool condition = position_ == HostChoice::Position::condition;
  if (condition) {
    c.want = rec_->want, c.raises = rec_->raises;
    c.chain = rec_->chain, c.arm = rec_->arm, c.serves = rec_->serves;
  }
  fresh_.push_back(static_cast<std::uint32_t>(rec_->out->list.size()));
  rec_->out->list.push_back(c);
  n.recorded = true;
}

// Parts of one && or || that all ask for the device are one leaf; beside others each is its own.
void HostExpression::record_operands(std::vector<Node>& operands, Node& whole) {
  bool all = std::ranges::all_of(operands, [&](const Node& n) { return is_leaf(n); });
  if (all) {
    whole.kind = Kind::compare;
    return;
  }
  for (Node& n : operands) {
    record(n);
    whole.recorded = whole.recorded || n.recorded;
  }
}

HostExpression::Node HostExpression::ternary() {
  Node test = binary(1);
  if (ends() || !l_[at_].is("?")) return test;
  std::size_t colon = at_ + 1;
  for (int depth = 0; colon < end_; ++colon) {
    if (l_[colon].is("?")) ++depth;
    if (l_[colon].is(":") && depth-- == 0) break;
    if (l_[colon].is("(") || l_[colon].is("[") || l_[colon].is("{"))
      colon = after_brackets(l_, colon, end_) - 1;
  }
  if (colon >= end_) return test;
  HostChoice::Want outer = HostChoice::Want::yes;
  if (rec_ != nullptr) {
    // A value that means "nothing" refuses.
    auto is_nothing = [&](std::size_t b, std::size_t e) {
      if (e <= b) return false;
      std::string low = text::lower(l_[e - 1].text);
      return low == "none" || low == "knone" || low == "nullptr" || low == "false" ||
             low == "nullopt" || (e == b + 1 && low == "0");
    };
    bool yes = is_nothing(at_ + 1, colon), no = is_nothing(colon + 1, end_);
    outer = std::exchange(rec_->want, yes == no ? HostChoice::Want::either
                                      : yes     ? HostChoice::Want::no
                                                : HostChoice::Want::yes);
  }
  std::size_t from = rec_ == nullptr ? 0 : rec_->out->list.size();
  record(test);
  if (rec_ != nullptr) {
    for (std::size_t i = from; i < rec_->out->list.size(); ++i) rec_->out->list[i].want = rec_->want;
    rec_->want = outer;
  }
  Node out;
  out.begin = test.begin, out.end = end_;
  out.recorded = true;
  std::size_t last = end_;
  HostValue yes = value(at_ + 1, colon, HostChoice::Position::argument);
  HostValue no = value(colon + 1, last, HostChoice::Position::argument);
  out.value = select(test.value.scalar(), yes, no);
  at_ = last;
  return out;
}

HostExpression::Node HostExpression::binary(int least) {
  Node left = unary();
  while (!ends()) {
    const Operator* o = operator_at(l_[at_]);
    if (o == nullptr || o->precedence < least) break;
    if (joins(o->op)) {
      std::vector<Node> operands{left};
      HostScalar v = left.value.scalar();
      while (!ends() && operator_at(l_[at_]) != nullptr && operator_at(l_[at_])->op == o->op) {
        ++at_;
        operands.push_back(binary(o->precedence + 1));
        v = apply(o->op, v, operands.back().value.scalar());
      }
      Node whole;
      whole.begin = left.begin, whole.end = at_;
      whole.value = {{v}};
      record_operands(operands, whole);
      left = std::move(whole);
      continue;
    }
    ++at_;
    Node right = binary(o->precedence + 1);
    Node whole;
    whole.begin = left.begin, whole.end = right.end;
    whole.value = {{apply(o->op, left.value.scalar(), right.value.scalar())}};
    whole.recorded = left.recorded || right.recorded;
    if (compares(o->op)) {
      whole.kind = Kind::compare;
      whole.asked_bytes = asked_bytes(left.value.scalar(), right.value.scalar());
    }
    left = std::move(whole);
  }
  return left;
}

HostExpression::Node HostExpression::unary() {
  Node out;
  out.begin = at_, out.end = at_ + 1;
  out.value = open();
  if (ends() || ++depth_ > kDeepest) {
    at_ = end_;
    --depth_;
    return out;
  }
  const Lexeme& l = l_[at_];
  if (l.is("!") || l.is("not")) {
    ++at_;
    Node inner = unary();
    out = inner;
    out.begin = inner.begin - 1;
    out.value = {{negated(inner.value.scalar())}};
  } else if (l.is("-") || l.is("+")) {
    ++at_;
    out = unary();
    if (l.is("-"))
      out.value = {{apply(HostOp::sub, host_number(0).items[0], out.value.scalar())}};
    out.kind.reset();
  } else if (l.is("~") || l.is("++") || l.is("--") || l.is("&") || l.is("*")) {
    ++at_;
    out = unary();
    if (!l.is("*") && !l.is("&")) out.value = open();
  } else {
    out = primary();
  }
  --depth_;
  return out;
}

// True if the parenthesis that ends before `close` is a cast of what follows.
bool HostExpression::is_cast(std::size_t close) const {
  if (close >= end_) return false;
  const Lexeme& next = l_[close];
  bool operand = next.is("(") || next.kind == Lexeme::Kind::number ||
                 (next.is_identifier() && operator_at(next) == nullptr);
  if (!operand) return false;
  for (std::size_t i = at_ + 1; i + 1 < close; ++i) {
    bool type = l_[i].is_identifier() || l_[i].is("::") || l_[i].is("*") || l_[i].is("&");
    if (!type) return false;
  }
  return true;
}

HostExpression::Node HostExpression::primary() {
  Node out;
  out.begin = at_;
  out.value = open();
  const Lexeme& l = l_[at_];
  if (l.kind == Lexeme::Kind::marker) {
    ++at_;
    return ends() ? Node{open(), at_ - 1, at_, std::nullopt, false} : unary();
  }
  if (l.is("(")) {
    std::size_t close = after_brackets(l_, at_, end_);
    if (is_cast(close)) {
      at_ = close;
      Node inner = unary();
      inner.begin = out.begin;
      return inner;
    }
    std::size_t outer = std::exchange(end_, close - 1);
    ++at_;
    Node inner = ternary();
    if (at_ < end_) inner.value = open();
    end_ = outer;
    at_ = close;
    inner.begin = out.begin, inner.end = close;
    return inner;
  }
  if (std::size_t brace = lambda_body(l_, at_, end_); brace != 0) return lambda(brace);
  if (l.is_identifier() || l.is("::")) return entity();
  if (l.kind == Lexeme::Kind::number) out.value = number(l.text);
  if (l.kind == Lexeme::Kind::string) {
    out.value = host_number(1);  // a text in a condition is there to be read
    while (at_ + 1 < end_ && l_[at_ + 1].kind == Lexeme::Kind::string) ++at_;
  }
  ++at_;
  out.end = at_;
  return out;
}

// What a lambda gives if it is called on the spot.
HostExpression::Node HostExpression::lambda(std::size_t brace) {
  Node out;
  out.begin = at_;
  out.value = open();
  std::size_t close = after_brackets(l_, brace, end_);
  bool called = close < end_ && l_[close].is("(");
  HostRun run(p_, f_, called ? rec_ : nullptr);
  if (called) {
    run.block(brace, alive_);
    out.value = run.returned();
    close = after_brackets(l_, close, end_);
  }
  at_ = out.end = close;
  return out;
}

}  // namespace ungate::cuda
