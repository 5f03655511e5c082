#include "value/operators.h"

#include <cmath>

namespace ungate::value {
namespace {

bool is_number(Kind k) { return k == Kind::integer || k == Kind::boolean || k == Kind::real; }
bool is_whole(Kind k) { return k == Kind::integer || k == Kind::boolean; }
bool is_sequence(Kind k) { return k == Kind::tuple || k == Kind::list || k == Kind::record; }
// Kinds whose identity and equality are not fully modelled.
bool is_opaque(Kind k) {
  return k == Kind::unknown || k == Kind::external || k == Kind::object || k == Kind::alternatives;
}

ValueId raise(Store& s, std::string_view type) { return s.raised(Symbol(type), {}); }
ValueId open(Store& s, std::string_view what) {
  return s.unknown(Free{Free::Kind::name, Symbol(what)});
}

// The item kinds a tuple-like comparison may mix: a NamedTuple compares as the tuple it is.
bool same_order(Kind a, Kind b) {
  auto norm = [](Kind k) { return k == Kind::record ? Kind::tuple : k; };
  return norm(a) == norm(b);
}

std::optional<bool> equal_items(const Store& s, ValueId a, ValueId b) {
  auto x = s.items(a), y = s.items(b);
  bool open_a = s.node(a).open, open_b = s.node(b).open;
  if (!open_a && !open_b && x.size() != y.size()) return false;
  bool known = !open_a && !open_b;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    auto same = equal(s, x[i], y[i]);
    if (same == false) return false;
    if (!same) known = false;
  }
  return known ? std::optional(true) : std::nullopt;
}

// -1, 0, 1, or nothing when it is not known; `comparable` turns false where Python raises.
std::optional<int> order(const Store& s, ValueId a, ValueId b, bool& comparable) {
  Kind ka = s.kind(a), kb = s.kind(b);
  if (is_opaque(ka) || is_opaque(kb)) return std::nullopt;
  auto three_way = [](auto x, auto y) { return x < y ? -1 : y < x ? 1 : 0; };
  if (is_number(ka) && is_number(kb)) {
    if (is_whole(ka) && is_whole(kb)) return three_way(s.node(a).number, s.node(b).number);
    return three_way(s.real_of(a), s.real_of(b));
  }
  if (ka == Kind::string && kb == Kind::string) return three_way(s.text(a).compare(s.text(b)), 0);
  if (is_sequence(ka) && same_order(ka, kb)) {
    auto x = s.items(a), y = s.items(b);
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      auto same = equal(s, x[i], y[i]);
      if (!same) return std::nullopt;
      if (!*same) return order(s, x[i], y[i], comparable);
    }
    if (s.node(a).open || s.node(b).open) return std::nullopt;
    return three_way(x.size(), y.size());
  }
  if (ka == Kind::member || kb == Kind::member || ka == Kind::set || kb == Kind::set) return std::nullopt;
  comparable = false;
  return std::nullopt;
}

std::optional<bool> contains(const Store& s, ValueId container, ValueId item, bool& iterable) {
  Kind k = s.kind(container);
  if (is_opaque(k)) return std::nullopt;
  if (k == Kind::string) {
    if (s.kind(item) == Kind::string) return s.text(container).find(s.text(item)) != std::string_view::npos;
    iterable = is_opaque(s.kind(item));
    return std::nullopt;
  }
  if (!is_container(k)) {
    iterable = k == Kind::klass || k == Kind::module;  // an Enum class iterates
    return std::nullopt;
  }
  bool known = !s.node(container).open;
  auto items = s.items(container);
  for (std::size_t i = 0; i < items.size(); i += k == Kind::dict ? 2 : 1) {
    auto same = equal(s, items[i], item);
    if (same == true) return true;
    if (!same) known = false;
  }
  return known ? std::optional(false) : std::nullopt;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  std::int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

ValueId whole(Store& s, Binary op, std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  auto checked = [&](bool overflow) { return overflow ? open(s, "large number") : s.integer(r); };
  switch (op) {
    case Binary::add: return checked(__builtin_add_overflow(a, b, &r));
    case Binary::sub: return checked(__builtin_sub_overflow(a, b, &r));
    case Binary::mul: return checked(__builtin_mul_overflow(a, b, &r));
    case Binary::floordiv:
    case Binary::mod:
    case Binary::div:
      if (b == 0) return raise(s, "ZeroDivisionError");
      if (a == INT64_MIN && b == -1) return open(s, "large number");
      if (op == Binary::div) return s.real(static_cast<double>(a) / static_cast<double>(b));
      r = floor_div(a, b);
      return s.integer(op == Binary::floordiv ? r : a - r * b);
    case Binary::pow:
      if (b < 0) return s.real(std::pow(static_cast<double>(a), static_cast<double>(b)));
      r = 1;
      for (std::int64_t i = 0; i < b; ++i) {
        if (i > 64 || __builtin_mul_overflow(r, a, &r)) return open(s, "large number");
      }
      return s.integer(r);
    case Binary::shl:
    case Binary::shr:
      if (b < 0) return raise(s, "ValueError");
      if (op == Binary::shr) return s.integer(b > 62 ? (a < 0 ? -1 : 0) : a >> b);
      if (b > 62 || __builtin_mul_overflow(a, std::int64_t{1} << b, &r)) return open(s, "large number");
      return s.integer(r);
    case Binary::bit_or: return s.integer(a | b);
    case Binary::bit_and: return s.integer(a & b);
    case Binary::bit_xor: return s.integer(a ^ b);
    case Binary::matmul: return raise(s, "TypeError");
  }
  return open(s, "operator");
}

ValueId fraction(Store& s, Binary op, double a, double b) {
  switch (op) {
    case Binary::add: return s.real(a + b);
    case Binary::sub: return s.real(a - b);
    case Binary::mul: return s.real(a * b);
    case Binary::div: return b == 0 ? raise(s, "ZeroDivisionError") : s.real(a / b);
    case Binary::floordiv: return b == 0 ? raise(s, "ZeroDivisionError") : s.real(std::floor(a / b));
    case Binary::mod: return b == 0 ? raise(s, "ZeroDivisionError") : s.real(a - std::floor(a / b) * b);
    case Binary::pow: return s.real(std::pow(a, b));
    default: return raise(s, "TypeError");
  }
}

ValueId concatenate(Store& s, ValueId a, ValueId b) {
  std::vector<ValueId> items(s.items(a).begin(), s.items(a).end());
  // After an open container the position of what follows is not known, so only the set of items is.
  items.insert(items.end(), s.items(b).begin(), s.items(b).end());
  Kind kind = s.kind(a) == Kind::record ? Kind::tuple : s.kind(a);
  return s.sequence(kind, items, s.node(a).open || s.node(b).open);
}

ValueId set_operation(Store& s, Binary op, ValueId a, ValueId b) {
  if (s.node(a).open || s.node(b).open) return open(s, "set");
  std::vector<ValueId> items;
  auto has = [&](ValueId set, ValueId item) {
    for (ValueId other : s.items(set)) {
      if (other == item) return true;
    }
    return false;
  };
  for (ValueId item : s.items(a)) {
    bool other = has(b, item);
    if (op == Binary::bit_or || (op == Binary::bit_and && other) ||
        ((op == Binary::sub || op == Binary::bit_xor) && !other)) {
      items.push_back(item);
    }
  }
  if (op == Binary::bit_or || op == Binary::bit_xor) {
    for (ValueId item : s.items(b)) {
      if (!has(a, item)) items.push_back(item);
    }
  }
  return s.sequence(Kind::set, items);
}

ValueId join_path(Store& s, ValueId a, ValueId b) {
  std::string_view tail = s.text(b);
  if (tail.starts_with('/')) return s.path(Symbol(tail));
  std::string joined(s.text(a));
  if (!joined.empty() && joined.back() != '/') joined += '/';
  return s.path(Symbol(joined.append(tail)));
}

}  // namespace

std::string_view spelling(Comparison op) {
  static constexpr std::string_view kText[] = {"==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"};
  return kText[static_cast<int>(op)];
}

bool is_container(Kind k) {
  return k == Kind::tuple || k == Kind::list || k == Kind::set || k == Kind::record || k == Kind::dict;
}

std::optional<bool> equal(const Store& s, ValueId a, ValueId b) {
  Kind ka = s.kind(a), kb = s.kind(b);
  if (is_opaque(ka) || is_opaque(kb)) {
    // The same external or object is equal to itself; two unknowns with one reason need not be.
    if (a == b && ka != Kind::unknown && ka != Kind::alternatives) return true;
    // An object of a plain class is not None; an external may be anything.
    if ((ka == Kind::object && kb == Kind::none) || (kb == Kind::object && ka == Kind::none)) return false;
    return std::nullopt;
  }
  if (is_number(ka) && is_number(kb)) {
    if (is_whole(ka) && is_whole(kb)) return s.node(a).number == s.node(b).number;
    return s.real_of(a) == s.real_of(b);
  }
  if (is_container(ka) && is_container(kb)) {
    if (!same_order(ka, kb)) return false;
    if (ka == Kind::set || ka == Kind::dict) {
      if (a == b && !s.node(a).open) return true;
      if (s.node(a).open || s.node(b).open || ka == Kind::dict) return std::nullopt;
      return false;  // sets are kept sorted: different ids, different sets
    }
    return equal_items(s, a, b);
  }
  if (ka == Kind::member && kb != Kind::member) {
    // A member of a plain Enum never equals its value, one of IntEnum or a str mix-in does.
    return equal(s, s.items(a)[0], b) == false ? std::optional(false) : std::nullopt;
  }
  if (kb == Kind::member && ka != Kind::member) return equal(s, b, a);
  return a == b;
}

ValueId compare(Store& s, Comparison op, ValueId a, ValueId b) {
  auto answer = [&](std::optional<bool> known, bool negate) {
    if (known) return s.boolean(*known != negate);
    return s.may_be_unknown(a) ? a : s.may_be_unknown(b) ? b : open(s, "comparison");
  };
  switch (op) {
    case Comparison::eq: return answer(equal(s, a, b), false);
    case Comparison::ne: return answer(equal(s, a, b), true);
    case Comparison::is:
    case Comparison::is_not: {
      // Identity is decided for singletons and definitions; for other equal values it is an accident.
      std::optional<bool> same = equal(s, a, b);
      Kind ka = s.kind(a);
      if (same == true && is_container(ka)) same = std::nullopt;
      // What another package provides is no function or class of this one.
      Kind kb = s.kind(b);
      auto own = [](Kind k) { return k == Kind::function || k == Kind::klass; };
      if ((ka == Kind::external && own(kb)) || (kb == Kind::external && own(ka))) same = false;
      return answer(same, op == Comparison::is_not);
    }
    case Comparison::in:
    case Comparison::not_in: {
      bool iterable = true;
      auto known = contains(s, b, a, iterable);
      if (!iterable) return raise(s, "TypeError");
      return answer(known, op == Comparison::not_in);
    }
    default: break;
  }
  bool comparable = true;
  auto sign = order(s, a, b, comparable);
  if (!comparable) return raise(s, "TypeError");
  if (!sign) return answer(std::nullopt, false);
  switch (op) {
    case Comparison::lt: return s.boolean(*sign < 0);
    case Comparison::le: return s.boolean(*sign <= 0);
    case Comparison::gt: return s.boolean(*sign > 0);
    default: return s.boolean(*sign >= 0);
  }
}

ValueId binary(Store& s, Binary op, ValueId a, ValueId b) {
  Kind ka = s.kind(a), kb = s.kind(b);
  if (is_opaque(ka)) return s.may_be_unknown(a) ? a : open(s, "operator");
  if (is_opaque(kb)) {
    if (op == Binary::mod && ka == Kind::string) return open(s, "formatted text");
    return s.may_be_unknown(b) ? b : open(s, "operator");
  }
  if (is_whole(ka) && is_whole(kb)) return whole(s, op, s.node(a).number, s.node(b).number);
  if (is_number(ka) && is_number(kb)) return fraction(s, op, s.real_of(a), s.real_of(b));
  if (op == Binary::add) {
    if (ka == Kind::string && kb == Kind::string) {
      return s.string(std::string(s.text(a)).append(s.text(b)));
    }
    if (is_sequence(ka) && same_order(ka, kb)) return concatenate(s, a, b);
  }
  if (op == Binary::mul) {
    if (is_whole(ka)) std::swap(a, b), std::swap(ka, kb);
    if (is_whole(kb) && (is_sequence(ka) || ka == Kind::string)) {
      std::int64_t n = std::max<std::int64_t>(s.node(b).number, 0);
      if (n > 64 || s.node(a).open) return open(s, "repetition");
      ValueId out = ka == Kind::string ? s.string("") : s.sequence(ka == Kind::record ? Kind::tuple : ka, {});
      for (std::int64_t i = 0; i < n; ++i) out = binary(s, Binary::add, out, a);
      return out;
    }
  }
  if (op == Binary::mod && ka == Kind::string) return open(s, "formatted text");
  if (op == Binary::div && ka == Kind::path && (kb == Kind::string || kb == Kind::path)) return join_path(s, a, b);
  if (ka == Kind::set && kb == Kind::set) return set_operation(s, op, a, b);
  if (op == Binary::bit_or && ka == Kind::dict && kb == Kind::dict) {
    std::vector<ValueId> items(s.items(a).begin(), s.items(a).end());
    items.insert(items.end(), s.items(b).begin(), s.items(b).end());
    return s.dict(items, s.node(a).open || s.node(b).open);
  }
  if (ka == Kind::member || kb == Kind::member || ka == Kind::klass || kb == Kind::klass) {
    return open(s, "operator");  // flags and type unions
  }
  return raise(s, "TypeError");
}

ValueId unary(Store& s, Unary op, ValueId a) {
  Kind k = s.kind(a);
  if (is_opaque(k) || k == Kind::member) return s.may_be_unknown(a) ? a : open(s, "operator");
  if (is_whole(k)) {
    std::int64_t n = s.node(a).number;
    if (op == Unary::minus && n == INT64_MIN) return open(s, "large number");
    return s.integer(op == Unary::minus ? -n : op == Unary::invert ? ~n : n);
  }
  if (k == Kind::real && op != Unary::invert) return op == Unary::minus ? s.real(-s.real_of(a)) : a;
  return raise(s, "TypeError");
}

ValueId subscript(Store& s, ValueId container, ValueId key) {
  Kind k = s.kind(container);
  if (is_opaque(k)) return s.may_be_unknown(container) ? container : open(s, "item");
  auto items = s.items(container);
  if (k == Kind::dict) {
    bool known = !s.node(container).open;
    ValueId out = s.absent();
    // The last of equal keys wins.
    for (std::size_t i = items.size(); i >= 2; i -= 2) {
      auto same = equal(s, items[i - 2], key);
      if (same == true) return known ? s.join(out, items[i - 1]) : s.join(out, items[i - 1]);
      if (!same) {
        out = s.join(out, items[i - 1]);
        known = false;
      }
    }
    if (known) return raise(s, "KeyError");
    return s.join(out, s.may_be_unknown(key) ? key : open(s, "item"));
  }
  if (is_opaque(s.kind(key))) {
    if (is_sequence(k) && items.size() == 1 && !s.node(container).open) return items[0];   // any other raises
    return s.may_be_unknown(key) ? key : open(s, "item");
  }
  bool text = k == Kind::string;
  if (!text && !is_sequence(k)) {
    return k == Kind::klass || k == Kind::function ? open(s, "item") : raise(s, "TypeError");
  }
  if (!is_whole(s.kind(key))) return raise(s, "TypeError");
  auto size = static_cast<std::int64_t>(text ? s.text(container).size() : items.size());
  std::int64_t i = s.node(key).number;
  if (s.node(container).open && (i < 0 || i >= size)) return open(s, "item");
  if (i < 0) i += size;
  if (i < 0 || i >= size) return raise(s, "IndexError");
  return text ? s.string(s.text(container).substr(static_cast<std::size_t>(i), 1))
              : items[static_cast<std::size_t>(i)];
}

ValueId slice(Store& s, ValueId container, ValueId from, ValueId to, ValueId step) {
  Kind k = s.kind(container);
  bool text = k == Kind::string;
  if (is_opaque(k)) return s.may_be_unknown(container) ? container : open(s, "slice");
  if (!text && !is_sequence(k)) return raise(s, "TypeError");
  if (s.kind(step) != Kind::none || s.node(container).open) return open(s, "slice");
  auto size = static_cast<std::int64_t>(text ? s.text(container).size() : s.items(container).size());
  std::int64_t bounds[] = {0, size};
  ValueId given[] = {from, to};
  for (int i = 0; i < 2; ++i) {
    if (s.kind(given[i]) == Kind::none) continue;
    if (!is_whole(s.kind(given[i]))) return s.may_be_unknown(given[i]) ? given[i] : open(s, "slice");
    std::int64_t n = s.node(given[i]).number;
    bounds[i] = std::clamp<std::int64_t>(n < 0 ? n + size : n, 0, size);
  }
  auto begin = static_cast<std::size_t>(bounds[0]);
  auto count = static_cast<std::size_t>(std::max<std::int64_t>(bounds[1] - bounds[0], 0));
  if (text) return s.string(s.text(container).substr(begin, count));
  return s.sequence(k == Kind::record ? Kind::tuple : k, s.items(container).subspan(begin, count));
}

std::optional<std::string> str(const Store& s, ValueId v) {
  switch (s.kind(v)) {
    case Kind::none:
    case Kind::boolean:
    case Kind::integer: return s.to_text(v);
    case Kind::string:
    case Kind::path: return std::string(s.text(v));
    default: return std::nullopt;
  }
}

}  // namespace ungate::value
