// Choices: which evaluated places are recorded, and what is kept of them.
#include "python/interpreter.h"

namespace ungate::python {
namespace {

// Texts like "90", "sm_100", "9.0", "120a": names of devices, not of something chosen by device.
bool names_arch(std::string_view s) {
  for (std::string_view prefix : {"compute_", "sm_", "sm"}) {
    if (s.starts_with(prefix)) {
      s.remove_prefix(prefix.size());
      break;
    }
  }
  if (!s.empty() && (s.back() == 'a' || s.back() == 'f')) s.remove_suffix(1);
  std::size_t digits = 0, dots = 0;
  for (char c : s) {
    if (c >= '0' && c <= '9') ++digits;
    else if (c == '.') ++dots;
    else return false;
  }
  return digits >= 1 && digits <= 3 && dots <= 1;
}

}  // namespace

namespace {

Choice::Kind choice_kind(NodeKind k) {
  switch (k) {
    case NodeKind::compare: return Choice::Kind::compare;
    case NodeKind::call: return Choice::Kind::call;
    case NodeKind::subscript: return Choice::Kind::subscript;
    case NodeKind::name:
    case NodeKind::attribute: return Choice::Kind::flag;
    default: return Choice::Kind::other;
  }
}

}  // namespace

// The truth of a value whose alternatives are truth values or (flag, reason) pairs.
Outcome Interpreter::choice_outcome(Lifted value) {
  return l_.truth(l_.map(value, [&](ValueId v) {
    return s_.lift(v, [&](ValueId x) {
      bool pair = s_.kind(x) == Kind::tuple && !s_.items(x).empty() && s_.kind(s_.items(x)[0]) == Kind::boolean;
      return pair ? s_.items(x)[0] : x;
    });
  }));
}

bool Interpreter::is_choice(Lifted value, DeviceSet mask, bool needs_truth) {
  bool only = true, some = false;
  l_.each(value, [&](DeviceSet where, ValueId v) {
    if ((where & mask).empty()) return;
    s_.each(v, [&](ValueId x) {
      Kind k = s_.kind(x);
      bool pair = k == Kind::tuple && !s_.items(x).empty() && s_.kind(s_.items(x)[0]) == Kind::boolean;
      if (k == Kind::boolean || pair) some = true;
      else if (k != Kind::none && k != Kind::unknown && k != Kind::absent) only = false;
    });
  });
  return only && (some || !needs_truth);
}

void Interpreter::record(NodeId expr, Lifted value, Frame& f, DeviceSet mask, Want want, Whole* whole,
                         const std::vector<Place>& via) {
  const Tree& t = *f.tree;
  Choice::Kind kind = choice_kind(t[expr].kind);
  DeviceSet reach = mask - l_.absent(value);
  bool is_condition = f.position == Choice::Position::condition || f.position == Choice::Position::returned;
  if (kind == Choice::Kind::flag && !(is_condition && whole != nullptr)) return;
  if (kind == Choice::Kind::other && whole == nullptr) return;
  if (kind == Choice::Kind::subscript && whole == nullptr) return;
  if (kind == Choice::Kind::compare && f.intermediate) return;
  if (l_.uniform(value) || !is_choice(value, mask, kind != Choice::Kind::flag)) return;
  Outcome outcome = choice_outcome(value);
  if (!outcome.differs(reach)) return;
  Choice& c = choice_at(expr, f);
  c.kind = kind;
  c.position = f.position;
  c.outcome |= outcome;
  c.alive |= mask;
  c.raises |= l_.absent(value) & mask;
  if (whole != nullptr) {
    if (whole->index == kNoIndex) whole->index = condition_at(whole->root, f, whole->arms.want);
    c.condition = whole->index;
    c.want = want;
    c.refusal = whole->arms.refusal, c.raise_type = whole->arms.type, c.raise_text = whole->arms.text;
    c.chain = f.chain, c.arm = f.arm;
    c.either = whole->either;
    c.serves = whole->arms.want == Want::no ? whole->arms.orelse : whole->arms.body;
  }
  add_deciders(c, value, mask);
  if (c.via.empty()) c.via = via;
}

void Interpreter::add_deciders(Choice& c, Lifted value, DeviceSet mask) {
  l_.each(value, [&](DeviceSet where, ValueId v) {
    if ((where & mask).empty()) return;
    for (const value::Free& reason : s_.reasons(v)) {
      bool known = false;
      for (const value::Free& other : c.deciders) known = known || other == reason;
      if (!known && c.deciders.size() < value::Store::kMaxReasons) c.deciders.push_back(reason);
    }
  });
}

Choice& Interpreter::choice_at(NodeId expr, const Frame& f) {
  auto [entry, fresh] = choice_index_.try_emplace(key_of(f.tree, expr), choices.size());
  if (fresh) {
    Choice c;
    c.place = {f.module, (*f.tree)[expr].range};
    c.tree = f.tree;
    c.node = expr;
    c.function = f.function != kNoIndex ? functions_[f.function].qualname
                 : f.klass != kNoIndex  ? classes_[f.klass].name : Symbol();
    choices.push_back(std::move(c));
  }
  return choices[entry->second];
}

std::uint32_t Interpreter::condition_at(NodeId root, const Frame& f, Want want) {
  auto [entry, fresh] = condition_index_.try_emplace(key_of(f.tree, root), conditions.size());
  if (fresh) conditions.push_back({{}, {}, want});
  return static_cast<std::uint32_t>(entry->second);
}

bool Interpreter::is_intermediate(Lifted operand) {
  // A device-dependent text or enum member that names no device is the result of an earlier choice.
  bool chosen = false, arch = false;
  l_.each(operand, [&](DeviceSet, ValueId v) {
    s_.each(v, [&](ValueId x) {
      if (s_.kind(x) == Kind::string) (names_arch(s_.text(x)) ? arch : chosen) = true;
      else if (s_.kind(x) == Kind::member || s_.kind(x) == Kind::function || s_.kind(x) == Kind::klass) chosen = true;
      else if (s_.kind(x) == Kind::integer || s_.kind(x) == Kind::tuple) arch = true;
    });
  });
  return chosen && !arch;
}

// `table[cc]` where some devices have no key.
void Interpreter::record_missing_key(NodeId id, Lifted container, Lifted key, Lifted out, Frame& f, DeviceSet mask) {
  if (l_.uniform(key) || l_.uniform(out)) return;
  DeviceSet missing = l_.absent(out) & mask;
  if (missing.empty() || missing == mask) return;
  bool table = !l_.where(container, [&](ValueId v) { return s_.kind(v) == Kind::dict; }).empty();
  if (!table) return;
  Choice& c = choice_at(id, f);
  c.kind = Choice::Kind::subscript;
  c.position = f.position;
  c.outcome |= Outcome{mask - missing, missing, {}};
  c.alive |= mask;
  c.raises |= missing;
  c.refusal = Refusal::raises;
  c.raise_type = Symbol("KeyError");
}

}  // namespace ungate::python
