// Choices: which evaluated places are recorded, and what is kept of them.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {
namespace {

// Texts like "90", "sm_100", "9.0", "120a": names of devices, not of something chosen by device.
bool names_arch(std::string_view s) {
  if (s.find("compute_") != std::string_view::npos && s.starts_with('-')) return true;  // a flag of nvcc
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

bool is_boolean(NodeKind k) { return k == NodeKind::bool_and || k == NodeKind::bool_or || k == NodeKind::bool_not; }

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
      // `return config.fast and is_wide()` gives config.fast where that is false.
      else if (k != Kind::none && k != Kind::unknown && k != Kind::absent && k != Kind::external) only = false;
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
  bool combined = whole != nullptr && is_boolean(t[whole->root].kind);  // flag = self.other and more
  bool passed = whole == nullptr;  // f(supported=flag)
  if (kind == Choice::Kind::flag && !passed && !is_condition && !combined) return;
  if (kind == Choice::Kind::flag && (set_by_arms(expr, value, want, f) || set_by_exits(expr, f))) return;
  if (kind == Choice::Kind::other && whole == nullptr) return;
  if (kind == Choice::Kind::subscript && whole == nullptr) return;
  if (f.intermediate) return;
  if (kind == Choice::Kind::flag && whole != nullptr && answers_call(expr, want, *whole, f)) return;
  if (f.rounds != nullptr && l_.uniform(value)) f.rounds->push_back({expr, choice_outcome(value), mask});
  // `return self.plan`: a thing that some devices have none of is no answer.
  bool needs_truth = passed || kind != Choice::Kind::flag || f.position == Choice::Position::returned;
  if (l_.uniform(value) || !is_choice(value, mask, needs_truth)) return;
  Outcome outcome = choice_outcome(value);
  if (!outcome.differs(reach - unnamed(value))) return;
  Choice& c = choice_at(expr, f);
  c.kind = kind;
  c.position = f.position;
  c.outcome |= outcome;
  c.alive |= mask;
  c.raises |= l_.absent(value) & mask;
  if (kind == Choice::Kind::compare) c.asked_bytes = f.asked_bytes;
  if (whole != nullptr) {
    if (whole->index == kNoIndex) whole->index = condition_at(whole->root, f, whole->arms.want);
    c.condition = whole->index;
    c.want = want;
    c.negated = whole->negated && whole->in_and;
    c.refusal = whole->arms.refusal, c.raise_type = whole->arms.type, c.raise_text = whole->arms.text;
    // `pads = version is None or not (version == 3 and cc == 9)`: what is stored spares those that the conjunction
    // names something that all others get.
    bool spares = f.position == Choice::Position::assigned && want == Want::no && whole->in_and && !whole->negated;
    if (spares) c.want = Want::yes, c.condition = kNoIndex;
    c.chain = f.chain, c.arm = f.arm;
    c.either = whole->either;
    c.serves = whole->arms.body, c.other = whole->arms.orelse;
    if (whole->arms.want == Want::no || (whole->arms.want == Want::either && c.negated)) std::swap(c.serves, c.other);
  }
  add_deciders(c, value, mask);
  if (c.via.empty()) c.via = via;
}

// Devices of which no product's name is known, where that name decides: `"ZW" in get_device_name()` is said of no
// device that is known, so it asks for another vendor's.
DeviceSet Interpreter::unnamed(Lifted value) {
  DeviceSet out;
  l_.each(value, [&](DeviceSet where, ValueId v) {
    bool named = s_.kind(v) != Kind::unknown;   // else one of several names decides
    for (const value::Free& reason : s_.reasons(v)) {
      if (!named && reason.kind == Free_::device_name) out |= where;
    }
  });
  return out;
}

// `for kernel in KERNELS: if kernel.can_implement(…)`: one kernel's answer depends on the device, another's on
// the arguments. The place gives both.
void Interpreter::join_uniform_rounds(const std::vector<UniformRound>& rounds, const Frame& f) {
  for (const UniformRound& round : rounds) {
    auto known = choice_index_.find(key_of(f.tree, round.expr));
    if (known == choice_index_.end()) continue;
    choices[known->second].outcome |= round.outcome.on(round.mask);
    choices[known->second].alive |= round.mask;
  }
}

void Interpreter::add_deciders(Choice& c, Lifted value, DeviceSet mask) {
  l_.each(value, [&](DeviceSet where, ValueId v) {
    if ((where & mask).empty()) return;
    for (const value::Free& reason : s_.reasons(v)) {
      auto known = std::ranges::find(c.deciders, reason, &Choice::Decider::free);
      if (known != c.deciders.end()) known->where |= where & mask;
      else if (c.deciders.size() < value::Store::kMaxReasons) c.deciders.push_back({reason, where & mask});
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

// What a value that depends on the device says: the device itself, or something chosen by it (a text or an
// enum member that names no device).
Interpreter::Says Interpreter::what_it_says(Lifted operand) const {
  Says out;
  auto say = [&](ValueId x, auto&& self) -> void {
    switch (s_.kind(x)) {
      case Kind::string: (names_arch(s_.text(x)) || arch::is_product_name(s_.text(x)) ? out.device : out.chosen) = true; break;
      case Kind::member:
      case Kind::function:
      case Kind::klass: out.chosen = true; break;
      case Kind::integer: out.device = true; break;
      case Kind::tuple:
      case Kind::record: {
        // (9, 0), or a key made of several things, one of them a text like "90a".
        if (is_arch_member(x)) {
          out.device = true;
          break;
        }
        bool pair = s_.items(x).size() == 2;
        for (ValueId item : s_.items(x)) {
          if (pair || s_.kind(item) != Kind::integer) self(item, self);
        }
        break;
      }
      default: break;
    }
  };
  l_.each(operand, [&](DeviceSet, ValueId v) { s_.each(v, [&](ValueId x) { say(x, say); }); });
  return out;
}

bool Interpreter::is_intermediate(Lifted operand) const {
  Says says = what_it_says(operand);
  return says.chosen && !says.device;
}

bool Interpreter::names_device(Lifted key) const { return what_it_says(key).device; }

// `limits_of(capability)` where some devices get an exception for an answer. Only what is handed a fact of the
// device, or asks for one and refuses itself, decides by it; a caller further out passes the decision on.
void Interpreter::record_refusing_call(NodeId id, Lifted callee, const Arguments& arguments, Lifted out, Frame& f, DeviceSet mask) {
  if (l_.uniform(out) || !l_.uniform(callee) || s_.kind(l_.value(callee)) != Kind::function) return;
  DeviceSet all = value::Values::all();
  // A check is told at most which device is meant; what does work besides has arguments for that.
  const Function& fn = functions_[callables_[s_.node(l_.value(callee)).ref].function];
  bool asked = fn.refuses && !arguments.open && arguments.keywords.empty() && arguments.positional.size() <= 1;
  // `is_loadable(raise_error=True)`
  auto switches = [&](Lifted argument) { return l_.uniform(argument) && s_.kind(l_.value(argument)) == Kind::boolean; };
  bool only_switches = !arguments.open && arguments.positional.empty() && !arguments.keywords.empty();
  for (const auto& [name, argument] : arguments.keywords) only_switches = only_switches && switches(argument);
  asked = asked || only_switches;
  auto look = [&](Lifted argument) {
    all -= l_.absent(argument);
    asked = asked || (!l_.uniform(argument) && names_device(argument));
  };
  for (Lifted argument : arguments.positional) look(argument);
  for (const auto& [name, argument] : arguments.keywords) look(argument);
  DeviceSet refused = l_.absent(out) & all;
  bool answers = is_choice(out, all, true) && choice_outcome(out).differs(all - refused);   // told as such
  if (!asked || refused.empty() || refused == all || answers) return;
  Choice& c = choice_at(id, f);
  c.kind = Choice::Kind::refusing_call;
  c.position = f.position;
  c.outcome |= Outcome{all - refused, refused, {}};
  c.alive |= mask;
  c.raises |= refused & mask;
  c.refusal = Refusal::raises;
  l_.each(out, [&](DeviceSet where, ValueId v) {
    if ((where & refused).empty() || !s_.is_absent(v) || s_.node(v).ref == 0) return;
    c.raise_type = Symbol::from_id(s_.node(v).ref);
    c.raise_text = s_.node(v).name;
  });
  if (c.via.empty() && f.via != nullptr) c.via = *f.via;
}

// `table.get(cc)` where some devices have no key.
void Interpreter::record_lookup(NodeId id, Lifted callee, const Arguments& arguments, Frame& f, DeviceSet mask) {
  static const Symbol kGet("get");
  if (!l_.uniform(callee) || arguments.positional.empty()) return;
  ValueId method = l_.value(callee);
  if (s_.kind(method) != Kind::method || s_.node(method).name != kGet) return;
  ValueId table = s_.items(method)[0];
  Lifted key = arguments.positional[0];
  if (s_.kind(table) != Kind::dict || s_.node(table).open || l_.uniform(key) || !names_device(key)) return;
  Lifted found = l_.map(key, [&](ValueId k) {
    return s_.lift(k, [&](ValueId x) { return value::subscript(s_, table, x); });
  });
  DeviceSet all = value::Values::all() - l_.absent(key), missing = l_.absent(found) & all;
  if (missing.empty() || missing == all) return;
  Choice& c = choice_at(id, f);
  c.kind = Choice::Kind::lookup;
  c.position = f.position;
  c.outcome |= Outcome{all - missing, missing, {}};
  c.alive |= mask;
}

// `table[cc]` where some devices have no key.
void Interpreter::record_missing_key(NodeId id, Lifted container, Lifted key, Lifted out, Frame& f, DeviceSet mask) {
  if (l_.uniform(key) || l_.uniform(out) || !names_device(key)) return;
  // Devices that do not get here are compared, too: an earlier gate may be all that keeps them away.
  DeviceSet all = value::Values::all() - l_.absent(key) - l_.absent(container);
  DeviceSet missing = l_.absent(out) & all;
  if (missing.empty() || missing == all) return;
  bool table = !l_.where(container, [&](ValueId v) { return s_.kind(v) == Kind::dict; }).empty();
  if (!table) return;
  Choice& c = choice_at(id, f);
  c.kind = Choice::Kind::subscript;
  c.position = f.position;
  c.outcome |= Outcome{all - missing, missing, {}};
  c.alive |= mask;
  c.raises |= missing & mask;
  c.refusal = Refusal::raises;
  c.raise_type = Symbol("KeyError");
}

}  // namespace ungate::python
