// Comparisons of objects whose class says how: __ge__ and its like, dataclasses, total_ordering.
#include <algorithm>
#include <array>

#include "python/interpreter.h"

namespace ungate::python {

using value::Comparison;

namespace {

Symbol method_of(Comparison op) {
  static const std::array<Symbol, 6> names = {Symbol("__eq__"), Symbol("__ne__"), Symbol("__lt__"),
                                              Symbol("__le__"), Symbol("__gt__"), Symbol("__ge__")};
  return names[static_cast<std::size_t>(op)];
}

// What `b op a` is asked as where `a op b` has no answer.
Comparison reflected(Comparison op) {
  switch (op) {
    case Comparison::lt: return Comparison::gt;
    case Comparison::le: return Comparison::ge;
    case Comparison::gt: return Comparison::lt;
    case Comparison::ge: return Comparison::le;
    default: return op;
  }
}

}  // namespace

Lifted Interpreter::compare_objects(Comparison op, Lifted a, Lifted b, Frame& f, DeviceSet mask) {
  auto plain = [&](Lifted v) { return l_.uniform(v) && s_.kind(l_.value(v)) != Kind::object; };
  if (plain(a) && plain(b) && op != Comparison::in && op != Comparison::not_in) return compare_lifted(op, a, b);
  if (op == Comparison::in || op == Comparison::not_in) return find_object(op, a, b);
  bool ordered = op == Comparison::eq || op == Comparison::ne || op == Comparison::lt || op == Comparison::le ||
                 op == Comparison::gt || op == Comparison::ge;
  if (!ordered || (!holds_object(a) && !holds_object(b))) return compare_lifted(op, a, b);
  if (auto answer = by_method(op, a, b, f, mask)) return *answer;
  if (auto answer = by_method(reflected(op), b, a, f, mask)) return *answer;
  // A dataclass compares its fields; which is before which only if it says `order=True`.
  bool equality = op == Comparison::eq || op == Comparison::ne;
  auto fields = [&](ValueId v) { return s_.kind(v) == Kind::object && (equality || classes_[s_.node(v).ref].orders_fields) ? fields_of(v) : v; };
  return compare_lifted(op, l_.map(a, fields), l_.map(b, fields));
}

// `version in {Version(10, 0), Version(10, 3)}`
Lifted Interpreter::find_object(Comparison op, Lifted a, Lifted b) {
  if (!holds_object(a)) return compare_lifted(op, a, b);
  auto fields = [&](ValueId v) { return s_.kind(v) == Kind::object ? fields_of(v) : v; };
  auto fields_of_items = [&](ValueId v) {
    if (!value::is_container(s_.kind(v)) || s_.kind(v) == Kind::dict) return v;
    std::vector<ValueId> items;
    for (ValueId item : s_.items(v)) items.push_back(fields(item));
    return s_.sequence(s_.kind(v), items, s_.node(v).open);
  };
  return compare_lifted(op, l_.map(a, fields), l_.map(b, fields_of_items));
}

bool Interpreter::holds_object(Lifted v) const {
  return !l_.where(v, [&](ValueId x) { return s_.kind(x) == Kind::object; }).empty();
}

std::optional<Lifted> Interpreter::by_method(Comparison op, Lifted a, Lifted b, Frame& f, DeviceSet mask) {
  auto ask = [&](Comparison which) -> std::optional<Lifted> {
    Lifted method;
    if (!common_method(a, method_of(which), method)) return {};
    Arguments arguments;
    arguments.positional = {b};
    return call(bind_attribute(method, a, false, f, mask), arguments, f, mask);
  };
  auto no = [&](Lifted v) { return l_.map(v, [&](ValueId x) { return negate(x); }); };
  if (auto answer = ask(op)) return answer;
  if (op == Comparison::ne) {
    auto equal = ask(Comparison::eq);
    return equal ? std::optional(no(*equal)) : std::nullopt;
  }
  // functools.total_ordering, of a class that defines `<`
  ClassId klass = class_of(l_.at(a, l_.absent(a).empty() ? 0 : (value::Values::all() - l_.absent(a)).front()));
  if (op == Comparison::eq || klass == kNoIndex || !classes_[klass].total_ordering) return {};
  auto less = ask(Comparison::lt);
  if (!less) return {};
  if (op == Comparison::ge) return no(*less);
  Lifted equal = compare_objects(Comparison::eq, a, b, f, mask);
  Lifted at_most = l_.zip(*less, equal, [&](ValueId x, ValueId y) { return connect(false, x, y); });
  return op == Comparison::le ? at_most : no(at_most);
}

// The fields of a dataclass as a tuple, which compares like it; the object itself if one is not known to be there.
ValueId Interpreter::fields_of(ValueId object) {
  const Klass& k = classes_[s_.node(object).ref];
  if (k.form != Klass::Form::dataclass) return object;
  std::vector<ValueId> items;
  for (Symbol name : k.fields) {
    ValueId field;
    if (!s_.field(object, name, field)) return object;
    items.push_back(field);
  }
  return s_.sequence(Kind::tuple, items);
}

}  // namespace ungate::python
