// Switches, check macros and plain statements of host code.
#include "cuda/host_expression.h"

namespace ungate::cuda {
namespace {

using Want = HostChoice::Want;
using Position = HostChoice::Position;

// The comparison that a check's name says: ICHECK_EQ(a, b).
std::optional<HostOp> op_of(std::string_view check) {
  constexpr std::pair<std::string_view, HostOp> kEndings[] = {
      {"_EQ", HostOp::eq}, {"_NE", HostOp::ne}, {"_LT", HostOp::lt},
      {"_LE", HostOp::le}, {"_GT", HostOp::gt}, {"_GE", HostOp::ge}};
  for (auto [ending, op] : kEndings) {
    if (check.ends_with(ending)) return op;
  }
  return std::nullopt;
}

}  // namespace

// The labels of a switch over the device are the arms of a chain.
std::size_t HostRun::switches(std::size_t i, std::size_t end, Set& alive) {
  std::size_t close = after_brackets(l_, i + 1, end);
  std::size_t open = skip(close, end);
  if (open >= end || !l_[open].is("{")) return after_statement(l_, i, end);
  std::size_t stop = after_brackets(l_, open, end);
  HostExpression subject(p_, f_, alive, rec_);
  HostScalar v = subject.value(i + 2, close - 1, Position::argument).scalar();
  struct Label {
    std::size_t begin, end;  // of the value; both 0: default
    std::size_t body;
  };
  std::vector<Label> labels;
  for (std::size_t k = open + 1; k + 1 < stop;) {
    if (l_[k].is("case") || (l_[k].is("default") && l_[k + 1].is(":"))) {
      std::size_t colon = k + 1;
      while (colon < stop && !l_[colon].is(":")) ++colon;
      bool value = l_[k].is("case");
      labels.push_back({value ? k + 1 : 0, value ? colon : 0, colon + 1});
      k = colon + 1;
    } else {
      k = l_[k].is("{") || l_[k].is("(") ? after_brackets(l_, k, stop) : k + 1;
    }
  }
  Does otherwise = Does::serves;
  bool has_default = false;
  auto body_end = [&](std::size_t n) {
    // Labels in a row share what follows.
    std::size_t to = n + 1 < labels.size() ? labels[n + 1].begin : stop - 1;
    if (n + 1 < labels.size()) {
      to = labels[n + 1].body;
      while (to > labels[n].body && !l_[to - 1].is("case") && !l_[to - 1].is("default")) --to;
      --to;
    }
    return std::max(to, labels[n].body);
  };
  for (std::size_t n = 0; n < labels.size(); ++n) {
    if (labels[n].end != 0) continue;
    has_default = true;
    otherwise = does(labels[n].body, body_end(n));
  }
  Set outer = std::exchange(breaks_, {}), rest = alive, after, falls;
  std::uint32_t chain = kNone;
  if (rec_ != nullptr && !rec_->muted) {
    chain = static_cast<std::uint32_t>(rec_->out->chains.size());
    HostChain c;
    c.range = range(i, stop);
    c.has_else = has_default;
    c.else_refuses = otherwise != Does::serves;
    rec_->out->chains.push_back(c);
  }
  for (std::size_t n = 0; n < labels.size(); ++n) {
    if (labels[n].end == 0) continue;
    HostScalar test = apply(HostOp::eq, v,
                            HostExpression(p_, f_, alive, nullptr)
                                .value(labels[n].begin, labels[n].end, Position::argument)
                                .scalar());
    value::Outcome o = outcome_of(test);
    std::size_t to = body_end(n), body = labels[n].body;
    for (std::size_t k = n; k + 1 < labels.size(); ++k) {
      if (skip(labels[k].body, stop) + 1 < body_end(k)) break;
      body = labels[k + 1].body, to = body_end(k + 1);
    }
    Does mine = does(body, to);
    bool refuses = mine == Does::raises || mine == Does::refuses;
    if (chain != kNone && o.differs(alive & arch::known_devices())) {
      HostChoice c;
      c.range = {l_[labels[n].begin - 1].begin, l_[labels[n].end - 1].end};
      c.kind = HostChoice::Kind::label;
      c.want = refuses                                ? Want::no
               : has_default && otherwise == Does::serves ? Want::either
                                                      : Want::yes;
      c.raises = (refuses ? mine : otherwise) == Does::raises;
      c.outcome = o;
      c.alive = alive;
      c.chain = chain, c.arm = static_cast<std::uint32_t>(rec_->out->chains[chain].arms.size());
      c.elsewhere = rec_->elsewhere;
      c.function = rec_->function;
      c.serves = range(body, to);
      rec_->out->chains[chain].arms.push_back({c.range, o, alive, refuses});
      rec_->out->list.push_back(c);
    }
    Set in = (alive & o.may_pass()) | falls;
    statements(labels[n].body, body_end(n), in);
    falls = in;
    rest &= o.may_fail();
  }
  for (std::size_t n = 0; n < labels.size(); ++n) {
    if (labels[n].end == 0) statements(labels[n].body, body_end(n), rest);
  }
  alive = falls | rest | breaks_;
  breaks_ = outer;
  return stop;
}

// CHECK(test, …), ICHECK_EQ(a, b)
void HostRun::check(std::size_t i, std::size_t close, Set& alive) {
  auto args = split_arguments(l_, i + 2, close - 1);
  if (args.empty()) return;
  HostRecorder saved;
  if (rec_ != nullptr) {
    saved = *rec_;
    rec_->want = Want::yes, rec_->raises = true;
    rec_->chain = kNone, rec_->serves = {};
  }
  value::Outcome o;
  auto op = op_of(l_[i].text);
  if (op && args.size() >= 2) {
    auto side = [&](std::size_t n) {
      return HostExpression(p_, f_, alive, rec_)
          .value(args[n].first, args[n].second, Position::argument)
          .scalar();
    };
    o = outcome_of(apply(*op, side(0), side(1)));
    if (rec_ != nullptr && !rec_->muted && o.differs(alive & arch::known_devices())) {
      HostChoice c;
      c.range = range(i, close);
      c.kind = HostChoice::Kind::check;
      c.raises = true;
      c.outcome = o;
      c.alive = alive;
      c.elsewhere = rec_->elsewhere;
      c.function = rec_->function;
      rec_->out->list.push_back(c);
    }
  } else {
    std::size_t from = rec_ == nullptr ? 0 : rec_->out->list.size();
    HostExpression e(p_, f_, alive, rec_);
    o = outcome_of(e.value(args[0].first, args[0].second, Position::condition).scalar());
    for (std::size_t k = from; rec_ != nullptr && k < rec_->out->list.size(); ++k) {
      if (rec_->out->list[k].position == Position::condition)
        rec_->out->list[k].kind = HostChoice::Kind::check;
    }
  }
  if (rec_ != nullptr) *rec_ = saved;
  alive &= o.may_pass();
}

// The bodies of lambdas in an expression: they may be called there.
void HostRun::lambdas(std::size_t i, std::size_t end, Set alive) {
  for (; i < end; ++i) {
    std::size_t brace = lambda_body(l_, i, end);
    if (brace == 0) continue;
    std::size_t close = after_brackets(l_, brace, end);
    if (close >= end || !l_[close].is("(")) HostRun(p_, f_, rec_).block(brace, alive);
    i = close - 1;
  }
}

void HostRun::expression(std::size_t i, std::size_t end, Set& alive) {
  std::size_t name = i;
  while (name + 2 < end && l_[name].is_identifier() && l_[name + 1].is("::")) name += 2;
  bool call = l_[name].is_identifier() && name + 1 < end && l_[name + 1].is("(");
  if (raises(i, end)) {
    alive = {};
    return;
  }
  if (call && has_piece(p_.v.logs, l_[name].text)) return;
  lambdas(i, end, alive);
  if (call && has_piece(p_.v.checks, l_[name].text)) {
    return check(name, after_brackets(l_, name + 1, end), alive);
  }
  // x = value, int x = value: of each on the top level
  std::size_t stop = end > i && l_[end - 1].is(";") ? end - 1 : end;
  bool assigns = false;
  for (std::size_t k = i; k < stop; ++k) {
    if (l_[k].is("(") || l_[k].is("[") || l_[k].is("{")) {
      k = after_brackets(l_, k, stop) - 1;
      continue;
    }
    if (!l_[k].is("=")) continue;
    assigns = true;
    HostExpression(p_, f_, alive, rec_).value(k + 1, stop, Position::assigned);
    break;
  }
  if (!assigns && rec_ != nullptr)
    HostExpression(p_, f_, alive, rec_).value(i, stop, Position::argument);
}

}  // namespace ungate::cuda
