// Expressions.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {

Lifted Interpreter::unknown(Free_ kind, std::string_view name) {
  return l_.of(s_.unknown({kind, Symbol(name)}));
}

// Evaluates and, where choices are recorded, records comparisons and calls that give a truth value.
Lifted Interpreter::eval(NodeId id, Frame& f, DeviceSet mask) {
  NodeKind kind = (*f.tree)[id].kind;
  bool recorded = f.emit && (kind == NodeKind::compare || kind == NodeKind::call);
  if (!recorded) return eval_raw(id, f, mask);
  std::vector<Place> via;
  std::vector<Place>* outer = std::exchange(f.via, &via);
  Choice::Position position = f.position;
  f.intermediate = false;
  Lifted value = eval_raw(id, f, mask);
  f.position = position;
  f.via = outer;
  record(id, value, f, mask, Want::yes, nullptr, via);
  if (outer != nullptr) outer->insert(outer->end(), via.begin(), via.end());
  return value;
}

// A flag that is handed on under a name: `f(scale_ue8m0=BLACKWELL)`, `SCALE_UE8M0 = BLACKWELL`.
Lifted Interpreter::passed(NodeId id, Choice::Position as, Frame& f, DeviceSet mask) {
  NodeKind kind = (*f.tree)[id].kind;
  bool flag = kind == NodeKind::name || kind == NodeKind::attribute;
  Choice::Position position = std::exchange(f.position, as);
  std::vector<Place> via;
  std::vector<Place>* outer = f.via;
  if (flag && f.emit) {
    f.via = &via;
    f.intermediate = false;
  }
  Lifted value = eval(id, f, mask);
  f.via = outer;
  f.position = as;
  if (flag && f.emit) record(id, value, f, mask, Want::yes, nullptr, via);
  f.position = position;
  return value;
}

Lifted Interpreter::eval_raw(NodeId id, Frame& f, DeviceSet mask) {
  if (id == 0) return l_.of(s_.none());
  const Tree& t = *f.tree;
  const Node& n = t[id];
  if (++statistics.expressions > fuel_) return unknown(Free_::unread, "evaluation took too long");
  auto child = [&](std::size_t i) { return t.child(id, i); };
  switch (n.kind) {
    case NodeKind::name: return name(id, f, mask);
    case NodeKind::constant: return eval_constant(t, id);
    case NodeKind::fstring: return eval_fstring(id, f, mask);
    case NodeKind::field: return eval(child(0), f, mask);
    case NodeKind::attribute: return eval_attribute(id, f, mask);
    case NodeKind::subscript: return eval_subscript(id, f, mask);
    case NodeKind::call: return eval_call(id, f, mask);
    case NodeKind::compare: return eval_compare(id, f, mask);
    case NodeKind::bool_and:
    case NodeKind::bool_or:
    case NodeKind::bool_not: return eval_whole(id, f, mask);
    case NodeKind::binary: {
      Lifted a = operand(child(0), f, mask), b = operand(child(1), f, mask);
      Lifted out = l_.zip(a, b, [&](ValueId x, ValueId y) {
        return s_.lift(x, y, [&](ValueId p, ValueId q) {
          return value::binary(s_, static_cast<value::Binary>(n.op), p, q);
        });
      });
      note_absent(out, f, mask);
      return out;
    }
    case NodeKind::unary: {
      Lifted out = l_.map(operand(child(0), f, mask), [&](ValueId v) {
        return s_.lift(v, [&](ValueId x) { return value::unary(s_, static_cast<value::Unary>(n.op), x); });
      });
      note_absent(out, f, mask);
      return out;
    }
    case NodeKind::conditional: return eval_conditional(id, f, mask);
    case NodeKind::lambda: return define_function(id, f);
    case NodeKind::tuple: return eval_items(id, Kind::tuple, f, mask);
    case NodeKind::list: return eval_items(id, Kind::list, f, mask);
    case NodeKind::set: return eval_items(id, Kind::set, f, mask);
    case NodeKind::dict: return eval_dict(id, f, mask);
    case NodeKind::comprehension: return eval_comprehension(id, f, mask);
    case NodeKind::await: return eval(child(0), f, mask);
    case NodeKind::walrus: {
      Lifted value = eval(child(1), f, mask);
      assign(child(0), value, f, mask - f.pending);
      return value;
    }
    case NodeKind::yield:
      if (child(0) != 0) operand(child(0), f, mask);
      return unknown(Free_::call, "yield");
    case NodeKind::star:
    case NodeKind::double_star: return eval(child(0), f, mask);
    default: return unknown(Free_::unread, "an expression");
  }
}

// An operand of something else: what it holds is an argument, not the outcome.
Lifted Interpreter::operand(NodeId id, Frame& f, DeviceSet mask) {
  Choice::Position position = std::exchange(f.position, Choice::Position::argument);
  Lifted value = eval(id, f, mask);
  f.position = position;
  return value;
}

Lifted Interpreter::eval_constant(const Tree& t, NodeId id) {
  const Node& n = t[id];
  switch (static_cast<Constant>(n.op)) {
    case Constant::none: return l_.of(s_.none());
    case Constant::true_: return l_.of(s_.boolean(true));
    case Constant::false_: return l_.of(s_.boolean(false));
    case Constant::integer: return l_.of(s_.integer(t.integers[n.number]));
    case Constant::real: return l_.of(s_.real(t.reals[n.number]));
    case Constant::string: return l_.of(s_.string(n.name));
    case Constant::bytes:
    case Constant::ellipsis: break;
  }
  return unknown(Free_::name, n.op == static_cast<std::uint8_t>(Constant::bytes) ? "bytes" : "...");
}

Lifted Interpreter::eval_fstring(NodeId id, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  Lifted out = l_.of(s_.string(""));
  for (NodeId part : t.children(id)) {
    Lifted piece = t[part].kind == NodeKind::field ? operand(t.child(part, 0), f, mask) : eval_constant(t, part);
    bool formatted = t[part].kind == NodeKind::field && t[part].op != 0;
    out = l_.zip(out, piece, [&](ValueId left, ValueId right) {
      return s_.lift(left, right, [&](ValueId a, ValueId b) {
        auto text = formatted ? std::nullopt : value::str(s_, b);
        return text ? s_.string(std::string(s_.text(a)) + *text) : s_.unknown({Free_::call, Symbol("formatted text")});
      });
    });
  }
  return out;
}

Lifted Interpreter::compare_lifted(value::Comparison op, Lifted a, Lifted b) {
  return l_.zip(a, b, [&](ValueId x, ValueId y) {
    return s_.lift(x, y, [&](ValueId p, ValueId q) { return value::compare(s_, op, p, q); });
  });
}

// `sm_version in ["sm_100", "sm_103"]`, where nothing is known of sm_version.
Lifted Interpreter::compared_fact(const Tree& t, NodeId operand, Lifted left, Lifted right) {
  if (!l_.uniform(left) || !l_.uniform(right) || !s_.is_unknown(l_.value(left))) return left;
  // `spec.device_capability[0] == 10`
  NodeId name = operand;
  bool first = t[name].kind == NodeKind::subscript && t[t.child(name, 1)].kind == NodeKind::constant &&
               t[t.child(name, 1)].op == static_cast<std::uint8_t>(Constant::integer) && t.integers[t[t.child(name, 1)].number] == 0;
  if (first) name = t.child(name, 0);
  const Node& n = t[name];
  if (n.kind != NodeKind::name && n.kind != NodeKind::attribute) return left;
  auto known = k_.compared.find(n.name);
  if (known == k_.compared.end()) return left;
  if (known->second == Gives::capability) return compared_capability(first, left, l_.value(right));
  if (first) return left;
  auto names_device = [&](ValueId v) { return s_.kind(v) == Kind::string && s_.text(v).starts_with("sm_") && arch::parse_device(s_.text(v)); };
  ValueId other = l_.value(right);
  bool list = s_.kind(other) == Kind::list || s_.kind(other) == Kind::tuple || s_.kind(other) == Kind::set;
  bool devices = list ? !s_.items(other).empty() && std::ranges::all_of(s_.items(other), names_device) : names_device(other);
  if (!devices) return left;
  // "sm_100a" is written of the same device as "sm_100".
  std::vector<ValueId> named{other};
  if (list) named.assign(s_.items(other).begin(), s_.items(other).end());
  Lifted fact = device_fact(known->second);
  return l_.of(value::Values::tabulate([&](unsigned d) {
    auto same = std::ranges::find_if(named, [&](ValueId v) { return arch::parse_device(s_.text(v)) == arch::Device(d); });
    return same != named.end() ? *same : l_.at(fact, d);
  }));
}

// What is compared says whether it is one: (10, 0), or 10 with its first part, or lists of these.
Lifted Interpreter::compared_capability(bool first, Lifted left, ValueId other) {
  auto major = [&](ValueId v) { return s_.kind(v) == Kind::integer && s_.node(v).number >= 5 && s_.node(v).number <= 19; };
  auto fits = [&](ValueId v) {
    if (first) return major(v);
    return s_.kind(v) == Kind::tuple && s_.items(v).size() == 2 && major(s_.items(v)[0]) && s_.kind(s_.items(v)[1]) == Kind::integer;
  };
  bool list = !fits(other) && value::is_container(s_.kind(other)) && !s_.items(other).empty() && std::ranges::all_of(s_.items(other), fits);
  if (!list && !fits(other)) return left;
  return device_fact(first ? Gives::major : Gives::capability);
}

Lifted Interpreter::eval_compare(NodeId id, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  auto operands = t.children(id);
  auto operators = t.operators(id);
  Lifted left = operand(operands[0], f, mask), out, first = left;
  bool intermediate = !l_.uniform(left) && is_intermediate(left);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    Lifted right = operand(operands[i + 1], f, mask);
    intermediate = intermediate || (!l_.uniform(right) && is_intermediate(right));
    if (i == 0) left = compared_fact(t, operands[0], left, right);
    auto open = [&](Lifted v) { return l_.uniform(v) && s_.is_unknown(l_.value(v)); };
    f.compares_open = f.compares_open || (open(left) && depends_on_device(right)) || (open(right) && depends_on_device(left));
    auto op = static_cast<value::Comparison>(operators[i]);
    Lifted step = compare_objects(op, left, right, f, mask);
    if (op == value::Comparison::in || op == value::Comparison::not_in) in_environment(op, left, right, step);
    out = i == 0 ? step : l_.zip(out, step, [&](ValueId a, ValueId b) { return connect(true, a, b); });
    left = right;
  }
  note_absent(out, f, mask);
  bool one = operators.size() == 1;
  f.intermediate = intermediate && !(one && asks_presence(static_cast<value::Comparison>(operators[0]), first, left, is_parameter(t, operands[0])));
  f.asked_bytes = operators.size() == 1 ? asked_bytes(first, left) : 0;
  if (operators.size() == 1) note_bound(id, first, left, f);
  return out;
}

// `error is None`, `fast_mm is not missing`: whether there is one, not which.
bool Interpreter::asks_presence(value::Comparison op, Lifted a, Lifted b, bool handed_over) const {
  if (op != value::Comparison::is && op != value::Comparison::is_not) return false;
  if (!l_.uniform(b)) return false;
  Kind with = s_.kind(l_.value(b));
  if (with == Kind::function) return true;
  if (with != Kind::none) return false;
  // Complaints and functions; a name that was chosen is asked for elsewhere, unless some devices surely get none.
  // Of a parameter a caller decides.
  bool only = true, none = false;
  l_.each(a, [&](DeviceSet, ValueId v) {
    none = none || s_.kind(v) == Kind::none;
    s_.each(v, [&](ValueId x) {
      bool sentence = s_.kind(x) == Kind::string && s_.text(x).find(' ') != std::string_view::npos;
      bool nothing = s_.kind(x) == Kind::none || s_.is_absent(x) || s_.is_unknown(x);
      only = only && (sentence || nothing || s_.kind(x) == Kind::function);
    });
  });
  return only || (none && !handed_over);
}

// How much shared memory a comparison asks for: `limit >= 128 * 1024`.
std::int64_t Interpreter::asked_bytes(Lifted a, Lifted b) const {
  if (l_.uniform(a) == l_.uniform(b)) return 0;
  Lifted limit = l_.uniform(a) ? b : a;
  ValueId asked = l_.value(l_.uniform(a) ? a : b);
  if (s_.kind(asked) != Kind::integer) return 0;
  for (unsigned d : arch::known_devices()) {
    const arch::DeviceFacts& facts = arch::Device(d).facts();
    bool block = facts.smem_block_kb == 0, whole = block;
    s_.each(l_.at(limit, d), [&](ValueId v) {
      if (s_.kind(v) != Kind::integer) return;
      block = block || s_.node(v).number == facts.smem_block_kb * 1024;
      whole = whole || s_.node(v).number == facts.smem_sm_kb * 1024;
    });
    if (!block && !whole) return 0;
  }
  return s_.node(asked).number;
}

Lifted Interpreter::eval_subscript(NodeId id, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  Lifted container = operand(t.child(id, 0), f, mask);
  NodeId index = t.child(id, 1);
  if (t[index].kind == NodeKind::slice) {
    Lifted parts[3];
    for (std::size_t i = 0; i < 3; ++i) parts[i] = operand(t.child(index, i), f, mask);
    return on_each({container, parts[0], parts[1], parts[2]}, [&](std::span<const ValueId> v) {
      return value::slice(s_, v[0], v[1], v[2], v[3]);
    });
  }
  Lifted key = operand(index, f, mask);
  if (Lifted out; class_getitem(container, key, out)) {
    note_absent(out, f, mask);
    return out;
  }
  Lifted out = l_.zip(container, key, [&](ValueId c, ValueId k) {
    return s_.lift(c, [&](ValueId x) {
      if (s_.is_unknown(k)) return value::subscript(s_, x, k);
      return s_.lift(k, [&](ValueId y) { return value::subscript(s_, x, y); });
    });
  });
  if (f.emit) record_missing_key(id, container, key, out, f, mask);
  note_absent(out, f, mask);
  return out;
}

Lifted Interpreter::eval_conditional(NodeId id, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  NodeId test = t.child(id, 0), body = t.child(id, 1), orelse = t.child(id, 2);
  auto refuses = [&](NodeId arm) {
    const Node& n = t[arm];
    if (n.kind == NodeKind::tuple && n.count > 0) arm = t.child(arm, 0);
    return t[arm].kind == NodeKind::constant && (t[arm].op == static_cast<std::uint8_t>(Constant::false_) ||
                                                 t[arm].op == static_cast<std::uint8_t>(Constant::none));
  };
  Arms arms;
  bool no_body = refuses(body), no_else = refuses(orelse);
  arms.want = no_body && !no_else ? Want::no : no_body == no_else ? Want::either : Want::yes;
  arms.refusal = no_body != no_else ? Refusal::assigns : Refusal::none;
  arms.body = body, arms.orelse = orelse;
  Choice::Position position = std::exchange(f.position, Choice::Position::condition);
  Outcome outcome = condition(test, f, mask, arms);
  f.position = position;
  DeviceSet reach = mask - f.pending;
  DeviceSet taken = outcome.may_pass() & reach, other = outcome.may_fail() & reach;
  Lifted a = taken.empty() ? Lifted() : eval(body, f, taken), b = other.empty() ? Lifted() : eval(orelse, f, other);
  return l_.merge(a, taken, b, other);
}

}  // namespace ungate::python
