// Statements of host code on all devices at once.
#include "cuda/host_expression.h"

namespace ungate::cuda {
namespace {

constexpr int kDeepest = 60;

using Want = HostChoice::Want;
using Position = HostChoice::Position;

bool is_falsy(const Lexemes& l, std::size_t begin, std::size_t end) {
  if (begin >= end) return true;  // return;
  if (l[begin].is("{")) return true;
  std::string_view last = l[end - 1].text;
  if (end == begin + 1 && (last == "0" || last == "false" || last == "nullptr")) return true;
  if (end == begin + 2 && l[begin].is("-")) return true;
  return last == "nullopt";
}

// `x.y = false;`
bool sets_nothing(const Lexemes& l, std::size_t begin, std::size_t end) {
  if (end < begin + 4 || !l[end - 1].is(";") || !l[end - 3].is("=")) return false;
  bool nothing = l[end - 2].is("false") || l[end - 2].is("nullptr");
  for (std::size_t i = begin; i + 3 < end; ++i) {
    if (!l[i].is_identifier() && !l[i].is(".") && !l[i].is("->") && !l[i].is("::")) return false;
  }
  return nothing;
}

}  // namespace

source::Range HostRun::range(std::size_t begin, std::size_t end) const {
  return begin < end ? source::Range{l_[begin].begin, l_[end - 1].end} : source::Range{};
}

std::size_t HostRun::skip(std::size_t i, std::size_t end) const {
  while (i < end && l_[i].kind == Lexeme::Kind::marker) ++i;
  return i;
}

arch::DeviceSet HostRun::block(std::size_t open, Set alive) {
  if (open >= l_.size() || !l_[open].is("{")) return alive;
  statements(open + 1, after_brackets(l_, open, l_.size()) - 1, alive);
  return alive;
}

void HostRun::statements(std::size_t i, std::size_t end, Set& alive) {
  while (i < end) i = std::max(statement(i, end, alive), i + 1);
}

void HostRun::give(const HostValue& v, Set alive) {
  if (alive.empty()) return;
  if (gave_.empty()) {
    returned_.items.assign(v.items.size(), HostScalar(HostNumbers{{}, false}));
  } else if (returned_.items.size() != v.items.size()) {
    returned_ = {};
    return;
  }
  HostValue both = join(returned_, v);
  for (std::size_t i = 0; i < v.items.size(); ++i) {
    returned_.items[i] =
        returned_.items[i].overlay(alive - gave_, v.items[i]).overlay(alive & gave_, both.items[i]);
  }
  gave_ |= alive;
}

std::size_t HostRun::statement(std::size_t i, std::size_t end, Set& alive) {
  i = skip(i, end);
  if (i >= end) return end;
  if (++depth_ > kDeepest) {
    --depth_;
    return after_statement(l_, i, end);
  }
  std::size_t next = after_statement(l_, i, end);
  const Lexeme& l = l_[i];
  if (l.is("{")) {
    statements(i + 1, next - 1, alive);
  } else if (l.is("if")) {
    next = ifs(i, end, alive);
  } else if (l.is("switch")) {
    next = switches(i, end, alive);
  } else if (l.is("for") || l.is("while") || l.is("do") || l.is("try") || l.is("catch")) {
    next = loop(i, end, alive);
  } else if (l.is("return")) {
    lambdas(i, next, alive);
    HostExpression e(p_, f_, alive, rec_);
    give(e.value(i + 1, next - 1, Position::returned), alive);
    alive = {};
  } else if (l.is("throw") || l.is("goto") || l.is("continue")) {
    alive = {};
  } else if (l.is("break")) {
    breaks_ |= alive;
    alive = {};
  } else if (l.is("case") || l.is("default") || l.is("else")) {
    while (i < end && !l_[i].is(":") && !l_[i].is("else")) ++i;
    next = i + 1;
  } else if (l.is("using") || l.is("static_assert") || l.is("typedef") || l.is("template")) {
  } else {
    expression(i, next, alive);
  }
  --depth_;
  return next;
}

// What a loop or try does may happen or not.
std::size_t HostRun::loop(std::size_t i, std::size_t end, Set& alive) {
  bool braced = l_[i].is("do") || l_[i].is("try");
  std::size_t body = i + 1;
  if (!braced && body < end && l_[body].is("(")) {
    if (l_[i].is("while"))
      HostExpression(p_, f_, alive, nullptr)
          .value(body + 1, after_brackets(l_, body, end) - 1, Position::argument);
    body = after_brackets(l_, body, end);
  }
  Set inside = alive, outer = std::exchange(breaks_, {});
  std::size_t next = statement(body, end, inside);
  if (braced) alive = inside | breaks_;
  breaks_ = outer;
  return next;
}

bool HostRun::raises(std::size_t i, std::size_t end) const {
  if (l_[i].is("throw")) return true;
  // a::b(…), MACRO(…)
  std::size_t name = i;
  while (name + 2 < end && l_[name].is_identifier() && l_[name + 1].is("::")) name += 2;
  if (!l_[name].is_identifier() || name + 1 >= end || !l_[name + 1].is("(")) return false;
  if (has_piece(p_.v.raises, l_[name].text)) return true;
  bool never = name + 2 < end && (l_[name + 2].is("false") || l_[name + 2].is("0"));
  return never && has_piece(p_.v.checks, l_[name].text);
}

// Whether the statement always leaves: its last one does.
bool HostRun::exits(std::size_t begin, std::size_t end) const {
  if (begin < end && l_[begin].is("{")) ++begin, --end;
  std::size_t last = begin;
  for (std::size_t i = skip(begin, end); i < end; i = skip(after_statement(l_, i, end), end)) last = i;
  if (last >= end) return false;
  return l_[last].is("return") || l_[last].is("continue") || l_[last].is("break") ||
         raises(last, end);
}

HostRun::Does HostRun::does(std::size_t begin, std::size_t end) const {
  if (begin < end && l_[begin].is("{")) ++begin, --end;
  std::size_t tells = 0, others = 0, returns = 0;
  for (std::size_t i = skip(begin, end); i < end;) {
    std::size_t next = after_statement(l_, i, end);
    if (raises(i, next)) return Does::raises;
    std::size_t name = i;
    while (name + 2 < next && l_[name].is_identifier() && l_[name + 1].is("::")) name += 2;
    if (has_piece(p_.v.logs, l_[name].text)) ++tells;
    else if (l_[i].is("return") && is_falsy(l_, i + 1, next - 1)) ++returns;
    else if (sets_nothing(l_, i, next)) ++returns;
    else if (!l_[i].is(";")) ++others;
    i = skip(std::max(next, i + 1), end);
  }
  if (others > 0) return Does::serves;
  return returns > 0 ? Does::refuses : tells > 0 ? Does::tells : Does::serves;
}

std::size_t HostRun::ifs(std::size_t i, std::size_t end, Set& alive) {
  std::vector<Arm> arms;
  std::size_t else_begin = 0, else_end = 0, next = end, first = i;
  for (bool more = true; more;) {
    more = false;
    std::size_t open = i + 1;
    while (open < end && !l_[open].is("(")) ++open;
    if (open >= end) return end;
    std::size_t close = after_brackets(l_, open, end), from = open + 1;
    for (std::size_t k = open + 1; k + 1 < close; ++k) {
      if (l_[k].is(";")) from = k + 1;  // if (init; test)
    }
    std::size_t body = skip(close, end), after = after_statement(l_, body, end);
    arms.push_back({from, close - 1, body, after});
    next = after;
    std::size_t then = skip(after, end);
    if (then < end && l_[then].is("else")) {
      std::size_t follows = skip(then + 1, end);
      if (follows < end && l_[follows].is("if")) {
        i = follows;
        more = true;
      } else {
        else_begin = follows;
        next = else_end = after_statement(l_, follows, end);
      }
    } else if (then < end && l_[then].is("if") && arms.size() < 64) {
      // ifs in a row that each leave are one chain
      more = std::ranges::all_of(arms, [&](const Arm& a) { return exits(a.begin, a.end); });
      if (more) i = then;
    }
  }
  // What follows a chain whose arms all leave is its else.
  std::size_t then = skip(next, end);
  bool leaves = exits(arms.back().begin, arms.back().end);
  bool falls = else_end == 0 && leaves && then < end;
  bool raise_follows = falls && raises(then, after_statement(l_, then, end));

  HostRecorder saved;
  std::uint32_t chain = kNone;
  if (rec_ != nullptr) {
    saved = *rec_;
    chain = static_cast<std::uint32_t>(rec_->out->chains.size());
    HostChain c;
    c.range = range(first, next);
    c.has_else = else_end != 0 || raise_follows;
    c.else_refuses = else_end != 0 ? does(else_begin, else_end) != Does::serves : raise_follows;
    c.arms.resize(arms.size());
    rec_->out->chains.push_back(c);
  }
  // All tests first: what an arm holds asks who is served by another.
  Set rest = alive, after, served;
  std::vector<Set> in(arms.size()), certain(arms.size());
  for (std::size_t a = 0; a < arms.size(); ++a) {
    const Arm& arm = arms[a];
    Does mine = does(arm.begin, arm.end);
    bool last = a + 1 == arms.size();
    bool refused = mine == Does::raises || mine == Does::refuses;
    if (rec_ != nullptr) {
      Does other = Does::serves;
      if (last && else_end != 0) other = does(else_begin, else_end);
      if (last && raise_follows) other = Does::raises;
      bool other_refuses = other == Does::raises || other == Does::refuses;
      bool both = last && (else_end != 0 || falls) && !refused && !other_refuses;
      rec_->chain = chain, rec_->arm = static_cast<std::uint32_t>(a);
      rec_->want = refused && !other_refuses ? Want::no : both ? Want::either : Want::yes;
      rec_->raises = (refused ? mine : other) == Does::raises;
      rec_->muted = saved.muted || (mine == Does::tells && else_end == 0);
      rec_->serves = rec_->want == Want::no ? range(else_begin, else_end) : range(arm.begin, arm.end);
    }
    HostExpression e(p_, f_, rest, rec_);
    value::Outcome o = outcome_of(e.value(arm.test_begin, arm.test_end, Position::condition).scalar());
    if (rec_ != nullptr) {
      rec_->out->chains[chain].arms[a] = {range(arm.test_begin, arm.test_end), o, rest, refused};
      *rec_ = saved;
    }
    in[a] = rest & o.may_pass();
    if (!refused) certain[a] = rest & (o.may_true - o.may_fail());
    served |= certain[a];
    rest &= o.may_fail();
  }
  bool else_serves = else_end != 0 ? does(else_begin, else_end) == Does::serves : falls && !raise_follows;
  if (else_serves) served |= rest;
  for (std::size_t a = 0; a < arms.size(); ++a) {
    if (rec_ != nullptr) rec_->elsewhere = saved.elsewhere | (served - in[a]);
    statement(arms[a].begin, arms[a].end, in[a]);
    after |= in[a];
  }
  if (rec_ != nullptr) rec_->elsewhere = saved.elsewhere | (served - rest);
  if (else_end != 0) statement(else_begin, else_end, rest);
  if (rec_ != nullptr) *rec_ = saved;
  alive = after | rest;
  return next;
}

}  // namespace ungate::cuda
