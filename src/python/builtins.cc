// Python's built-in functions on lifted values.
#include <algorithm>

#include "base/text.h"
#include "python/interpreter.h"

namespace ungate::python {
namespace {

bool lists_items(Kind k) {
  return k == Kind::tuple || k == Kind::list || k == Kind::set || k == Kind::record || k == Kind::dict;
}

}  // namespace

// The items of a container, or nothing when they are not all known.
std::optional<std::vector<ValueId>> Interpreter::items_of(ValueId v) const {
  Kind k = s_.kind(v);
  if (k == Kind::string) return std::nullopt;
  if (!lists_items(k) || s_.node(v).open) return std::nullopt;
  std::vector<ValueId> out;
  for (std::size_t i = 0; i < s_.items(v).size(); i += k == Kind::dict ? 2 : 1) out.push_back(s_.items(v)[i]);
  return out;
}

ValueId Interpreter::any_all(bool any, ValueId v) {
  if (!lists_items(s_.kind(v))) return s_.unknown({Free_::call, Symbol(any ? "any" : "all")});
  bool open = s_.node(v).open;
  ValueId undecided = s_.absent();
  for (std::size_t i = 0; i < s_.items(v).size(); i += s_.kind(v) == Kind::dict ? 2 : 1) {
    ValueId item = s_.items(v)[i];
    value::Truth truth = s_.truth(item);
    if (truth == (any ? value::kTrue : value::kFalse)) return s_.boolean(any);
    if (truth != (any ? value::kFalse : value::kTrue)) {
      open = true;
      if (s_.may_be_unknown(item)) undecided = s_.join(undecided, s_.is_unknown(item) ? item : s_.unknown(s_.reasons(item)));
    }
  }
  if (!open) return s_.boolean(!any);
  // All known items say the one thing, the rest is open.
  return s_.is_absent(undecided) ? s_.unknown({Free_::call, Symbol(any ? "any" : "all")}) : undecided;
}

ValueId Interpreter::to_integer(ValueId v) {
  switch (s_.kind(v)) {
    case Kind::integer: return v;
    case Kind::boolean: return s_.integer(s_.node(v).number);
    case Kind::real: return s_.integer(static_cast<std::int64_t>(s_.real_of(v)));
    case Kind::string: {
      std::int64_t n = 0;
      if (text::parse_int(text::trim(s_.text(v)), n)) return s_.integer(n);
      return s_.raised(Symbol("ValueError"), {});
    }
    case Kind::none: return s_.raised(Symbol("TypeError"), {});
    default: return s_.unknown({Free_::call, Symbol("int")});
  }
}

ValueId Interpreter::extreme(bool largest, std::vector<ValueId> items) {
  if (items.empty()) return s_.raised(Symbol("ValueError"), {});
  ValueId best = items[0];
  for (ValueId item : items) {
    ValueId better = value::compare(s_, largest ? value::Comparison::gt : value::Comparison::lt, item, best);
    value::Truth truth = s_.truth(better);
    if (truth == value::kTrue) best = item;
    else if (truth != value::kFalse) return s_.unknown({Free_::call, Symbol(largest ? "max" : "min")});
  }
  return best;
}

ValueId Interpreter::sorted_list(ValueId v) {
  auto items = items_of(v);
  if (!items) return s_.sequence(Kind::list, lists_items(s_.kind(v)) ? s_.items(v) : std::span<const ValueId>(), true);
  bool comparable = true;
  std::ranges::stable_sort(*items, [&](ValueId a, ValueId b) {
    value::Truth truth = s_.truth(value::compare(s_, value::Comparison::lt, a, b));
    if (truth != value::kTrue && truth != value::kFalse) comparable = false;
    return truth == value::kTrue;
  });
  return s_.sequence(Kind::list, *items, !comparable);
}

ValueId Interpreter::range_list(std::span<const ValueId> v) {
  std::int64_t bounds[3] = {0, 0, 1};
  for (ValueId x : v) {
    if (s_.kind(x) != Kind::integer) return s_.sequence(Kind::list, {}, true);
  }
  if (v.empty() || v.size() > 3) return s_.raised(Symbol("TypeError"), {});
  if (v.size() == 1) bounds[1] = s_.node(v[0]).number;
  for (std::size_t i = 0; v.size() > 1 && i < v.size(); ++i) bounds[i] = s_.node(v[i]).number;
  std::vector<ValueId> items;
  if (bounds[2] == 0) return s_.raised(Symbol("ValueError"), {});
  for (std::int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1]; i += bounds[2]) {
    if (items.size() >= kMaxItems) return s_.sequence(Kind::list, items, true);
    items.push_back(s_.integer(i));
  }
  return s_.sequence(Kind::list, items);
}

void Interpreter::note_reading(Lifted path, const Frame& f) {
  Reading reading{{f.module, f.call}, functions_[f.function].range, f.tree, {}};
  l_.each(path, [&](DeviceSet, ValueId v) {
    s_.each(v, [&](ValueId one) {
      if (s_.kind(one) == Kind::string || s_.kind(one) == Kind::path) reading.paths.emplace_back(s_.text(one));
    });
  });
  if (!reading.paths.empty()) readings.push_back(std::move(reading));
}

Lifted Interpreter::call_builtin(std::string_view name, const Arguments& arguments, Frame& f, DeviceSet mask) {
  const auto& args = arguments.positional;
  auto each = [&](auto&& body) { return on_each(std::span(args), body); };
  auto open = [&] { return unknown(Free_::call, name); };
  if (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Warning")) return open();
  if (name == "isinstance" || name == "issubclass") return args.size() == 2 ? instance_of(args[0], args[1]) : open();
  if (name == "hasattr") return args.size() == 2 ? has_attribute(args[0], args[1]) : open();
  if (name == "getattr" && args.size() >= 2) return get_attribute(args, f, mask);
  if (name == "__getattribute__" && args.size() == 2) return own_field(args[0], args[1]);
  if (name == "map" && args.size() == 2) return map_call(args[0], args[1], f, mask);
  if (name == "open" && f.emit && f.function != kNoIndex && !args.empty()) note_reading(args[0], f);
  if (name == "filter" || name == "print" || name == "setattr" || name == "open" || name == "super") return open();
  if (args.empty()) {
    if (name == "list") return l_.of(s_.sequence(Kind::list, {}));
    if (name == "tuple") return l_.of(s_.sequence(Kind::tuple, {}));
    if (name == "set" || name == "frozenset") return l_.of(s_.sequence(Kind::set, {}));
    if (name == "dict") return keyword_dict(arguments);
    if (name == "str") return l_.of(s_.string(""));
    if (name == "int") return l_.of(s_.integer(0));
    if (name == "bool") return l_.of(s_.boolean(false));
    return open();
  }
  if (name == "range") return each([&](std::span<const ValueId> v) { return range_list(v); });
  if ((name == "min" || name == "max") && !arguments.keywords.empty()) return open();
  if (name == "min" || name == "max") {
    return each([&](std::span<const ValueId> v) {
      auto items = v.size() == 1 ? items_of(v[0]) : std::optional(std::vector<ValueId>(v.begin(), v.end()));
      return items ? extreme(name == "max", *items) : s_.unknown({Free_::call, Symbol(name)});
    });
  }
  if (name == "zip" || name == "enumerate") {
    return each([&](std::span<const ValueId> v) { return zipped(name, v); });
  }
  return l_.map(args[0], [&](ValueId v) { return s_.lift(v, [&](ValueId x) { return builtin_of_one(name, x); }); });
}

ValueId Interpreter::builtin_of_one(std::string_view name, ValueId x) {
  Kind k = s_.kind(x);
  ValueId open = s_.unknown({Free_::call, Symbol(name)});
  auto container = [&](Kind kind) {
    if (auto items = items_of(x)) return s_.sequence(kind, *items);
    return s_.sequence(kind, lists_items(k) ? s_.items(x) : std::span<const ValueId>(), true);
  };
  if (name == "len") {
    if (k == Kind::string) return s_.integer(static_cast<std::int64_t>(s_.text(x).size()));
    auto items = items_of(x);
    return items ? s_.integer(static_cast<std::int64_t>(items->size())) : open;
  }
  if (name == "any" || name == "all") return any_all(name == "any", x);
  if (name == "int") return to_integer(x);
  if (name == "bool") {
    value::Truth truth = s_.truth(x);
    return truth == value::kTrue || truth == value::kFalse ? s_.boolean(truth == value::kTrue) : open;
  }
  if (name == "str" || name == "repr" || name == "format") {
    auto text = value::str(s_, x);
    return text && (name != "repr" || k != Kind::string) ? s_.string(*text) : open;
  }
  if (name == "float") return k == Kind::integer || k == Kind::boolean || k == Kind::real ? s_.real(s_.real_of(x)) : open;
  if (name == "list" || name == "iter" || name == "reversed") {
    if (name == "reversed" && items_of(x)) {
      auto items = *items_of(x);
      std::ranges::reverse(items);
      return s_.sequence(Kind::list, items);
    }
    return container(Kind::list);
  }
  if (name == "tuple") return container(Kind::tuple);
  if (name == "set" || name == "frozenset") return container(Kind::set);
  if (name == "dict") return k == Kind::dict ? x : open;
  if (name == "sorted") return sorted_list(x);
  if (name == "next") {
    auto items = items_of(x);
    return items && !items->empty() ? items->front() : open;
  }
  if (name == "sum") {
    auto items = items_of(x);
    if (!items) return open;
    ValueId total = s_.integer(0);
    for (ValueId item : *items) total = value::binary(s_, value::Binary::add, total, item);
    return total;
  }
  if (name == "abs" && k == Kind::integer) return s_.integer(std::abs(s_.node(x).number));
  if (name == "round" && k == Kind::integer) return x;
  if (name == "callable") return k == Kind::function || k == Kind::klass ? s_.boolean(true) : open;
  if (name == "type" && (k == Kind::object || k == Kind::record || k == Kind::member)) return s_.handle(Kind::klass, s_.node(x).ref);
  return open;
}

ValueId Interpreter::zipped(std::string_view name, std::span<const ValueId> v) {
  std::vector<std::vector<ValueId>> columns;
  for (ValueId x : v.subspan(0, name == "enumerate" ? 1 : v.size())) {
    auto items = items_of(x);
    if (!items) return s_.sequence(Kind::list, {}, true);
    columns.push_back(*items);
  }
  std::int64_t start = name == "enumerate" && v.size() > 1 && s_.kind(v[1]) == Kind::integer ? s_.node(v[1]).number : 0;
  std::vector<ValueId> out;
  for (std::size_t i = 0;; ++i) {
    std::vector<ValueId> row;
    if (name == "enumerate") row.push_back(s_.integer(start + static_cast<std::int64_t>(i)));
    for (const auto& column : columns) {
      if (i >= column.size()) return s_.sequence(Kind::list, out);
      row.push_back(column[i]);
    }
    out.push_back(s_.sequence(Kind::tuple, row));
  }
}

Lifted Interpreter::keyword_dict(const Arguments& arguments) {
  Lifted out = l_.of(s_.dict({}, arguments.open));
  for (const auto& [name, value] : arguments.keywords) out = with_entry(out, l_.of(s_.string(name)), value);
  return out;
}

Lifted Interpreter::map_call(Lifted function, Lifted iterable, Frame& f, DeviceSet mask) {
  auto rounds = known_length(iterable, mask);
  if (!rounds || *rounds > kUnroll) return l_.of(s_.sequence(Kind::list, {}, true));
  Lifted out = l_.of(s_.sequence(Kind::list, {}));
  DeviceSet running = mask;
  for (std::size_t i = 0; i < *rounds; ++i) {
    Lifted item = item_at(iterable, i);
    running -= l_.absent(item);
    Arguments one;
    one.positional.push_back(item);
    Lifted value = call(function, one, f, running);
    note_absent(value, f, running);
    out = append(out, value, running);
  }
  return out;
}

Lifted Interpreter::instance_of(Lifted object, Lifted type) {
  return on_each({object, type}, [&](std::span<const ValueId> v) { return s_.lift(v[1], [&](ValueId t) { return instance_of_one(v[0], t); }); });
}

ValueId Interpreter::instance_of_one(ValueId v, ValueId type) {
  Kind k = s_.kind(v), kt = s_.kind(type);
  ValueId open = s_.unknown({Free_::call, Symbol("isinstance")});
  if (kt == Kind::tuple) {
    ValueId out = s_.boolean(false);
    for (ValueId one : s_.items(type)) out = connect(false, out, instance_of_one(v, one));
    return out;
  }
  if (kt == Kind::klass) {
    ClassId klass = class_of(v);
    if (k == Kind::klass) return open;
    if (klass == kNoIndex) return k == Kind::external ? open : s_.boolean(false);
    const auto& mro = classes_[klass].mro;
    bool found = std::ranges::find(mro, s_.node(type).ref) != mro.end();
    // A generic receiver may be of a derived class.
    return found ? s_.boolean(true) : s_.node(v).open || classes_[klass].external_base ? open : s_.boolean(false);
  }
  if (kt != Kind::external || !s_.text(type).starts_with("builtins.")) return k == Kind::none ? s_.boolean(false) : open;
  std::string_view name = s_.text(type).substr(9);
  auto is = [&](bool yes) { return s_.boolean(yes); };
  if (k == Kind::object || k == Kind::external) return open;
  if (name == "int") return is(k == Kind::integer || k == Kind::boolean);
  if (name == "bool") return is(k == Kind::boolean);
  if (name == "str") return is(k == Kind::string);
  if (name == "float") return is(k == Kind::real);
  if (name == "tuple") return is(k == Kind::tuple || k == Kind::record);
  if (name == "list") return is(k == Kind::list);
  if (name == "set") return is(k == Kind::set);
  if (name == "dict") return is(k == Kind::dict);
  return open;
}

Lifted Interpreter::has_attribute(Lifted object, Lifted name) {
  ValueId text = l_.at(name, 0);
  if (!l_.uniform(name) || s_.kind(text) != Kind::string) return unknown(Free_::call, "hasattr");
  return l_.map(object, [&](ValueId v) {
    return s_.lift(v, [&](ValueId x) {
      if (s_.kind(x) == Kind::external) {
        std::string dotted = std::string(s_.text(x)) + '.' + std::string(s_.text(text));
        if (below(k_.missing, dotted)) return s_.boolean(false);
        if (k_.present.contains(Symbol(dotted))) return s_.boolean(true);
      } else if (s_.kind(x) == Kind::module && s_.node(x).ref < p_.size()) {
        if (exports(s_.node(x).ref, s_.node(text).name)) return s_.boolean(true);
      } else if (ValueId field; s_.kind(x) == Kind::object && s_.field(x, s_.node(text).name, field)) {
        return s_.boolean(true);
      } else if (s_.kind(x) == Kind::none) {
        return s_.boolean(false);
      }
      return s_.unknown({Free_::call, Symbol("hasattr " + std::string(s_.text(text)))});
    });
  });
}

Lifted Interpreter::get_attribute(const std::vector<Lifted>& args, Frame& f, DeviceSet mask) {
  ValueId text = l_.at(args[1], 0);
  if (!l_.uniform(args[1]) || s_.kind(text) != Kind::string) return unknown(Free_::call, "getattr");
  DeviceSet pending = f.pending;
  Lifted value = attribute(args[0], s_.node(text).name, f, mask);
  if (args.size() < 3) return value;
  f.pending = pending;  // the default stands in for a missing attribute
  DeviceSet found = l_.where(args[0], [&](ValueId v) { return surely_has(v, s_.node(text).name); });
  DeviceSet missing = l_.where(args[0], [&](ValueId v) {
    bool closed = s_.kind(v) == Kind::object && !s_.node(v).open && !classes_[s_.node(v).ref].external_base;
    return closed && !surely_has(v, s_.node(text).name) && cell(s_.node(v).ref, s_.node(text).name) == Lifted();
  });
  Lifted out = l_.overlay(l_.join(value, args[2]), found, value);
  return l_.overlay(out, missing | l_.absent(value), args[2]);
}

bool Interpreter::surely_has(ValueId v, Symbol name) {
  if (ValueId field; s_.kind(v) == Kind::object && s_.field(v, name, field)) return true;
  ClassId klass = class_of(v);
  Lifted found;
  return klass != kNoIndex && class_attribute(klass, name, found);
}

}  // namespace ungate::python
