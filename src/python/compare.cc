// Comparisons: `cc >= 90`, `sm_version in ["sm_100", "sm_103"]`, `error is None`.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {

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

}  // namespace ungate::python
