// Methods of plain values: str, list, tuple, set, dict, path; and what mutating ones leave behind.
#include <algorithm>

#include "base/text.h"
#include "python/interpreter.h"

namespace ungate::python {

Lifted Interpreter::call_method(ValueId method, const Arguments& arguments) {
  ValueId receiver = s_.items(method)[0];
  std::string_view name = s_.node(method).name.text();
  std::vector<Lifted> operands{l_.of(receiver)};
  operands.insert(operands.end(), arguments.positional.begin(), arguments.positional.end());
  bool keywords = !arguments.keywords.empty() || arguments.open;
  if (s_.kind(receiver) == Kind::dict && name == "get" && arguments.positional.size() >= 1) {
    Lifted otherwise = arguments.positional.size() > 1 ? arguments.positional[1] : l_.of(s_.none());
    return dict_get(l_.of(receiver), arguments.positional[0], otherwise);
  }
  return on_each(std::span<const Lifted>(operands), [&](std::span<const ValueId> v) {
    ValueId open = s_.unknown({Free_::call, Symbol(name)});
    if (keywords) return open;
    switch (s_.kind(v[0])) {
      case Kind::string: return string_method(name, v);
      case Kind::path: return path_method(name, v);
      case Kind::dict: return dict_method(name, v[0]);
      case Kind::list:
      case Kind::set:
      case Kind::tuple: return sequence_method(name, v);
      case Kind::integer: return name == "bit_length" ? open : s_.raised(Symbol("AttributeError"), {});
      default: return open;
    }
  });
}

Lifted Interpreter::dict_get(Lifted dict, Lifted key, Lifted otherwise) {
  return on_each_shallow({dict, key, otherwise}, [&](std::span<const ValueId> v) {
    auto items = s_.items(v[0]);
    if (s_.is_unknown(v[1]) && !s_.node(v[0]).open && items.size() <= value::Store::kMaxAlternatives) {
      // A key that is not known: one of the values, or what stands for a missing one.
      ValueId out = v[2];
      for (std::size_t i = 1; i < items.size(); i += 2) out = s_.join(out, items[i]);
      return out;
    }
    return s_.lift(v[1], [&](ValueId k) {
      ValueId item = value::subscript(s_, v[0], k);
      if (s_.is_absent(item)) return v[2];
      return s_.may_be_unknown(item) && (s_.node(v[0]).open || s_.may_be_unknown(k)) ? s_.join(item, v[2]) : item;
    });
  });
}

ValueId Interpreter::string_method(std::string_view name, std::span<const ValueId> v) {
  std::string_view s = s_.text(v[0]);
  ValueId open = s_.unknown({Free_::call, Symbol("str." + std::string(name))});
  auto text_argument = [&](std::size_t i) { return i < v.size() && s_.kind(v[i]) == Kind::string; };
  if (name == "lower" || name == "casefold") return s_.string(text::lower(s));
  if (name == "upper") {
    std::string up(s);
    for (char& c : up) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    return s_.string(up);
  }
  if (name == "startswith" || name == "endswith") {
    auto fits = [&](std::string_view part) { return name == "startswith" ? s.starts_with(part) : s.ends_with(part); };
    if (text_argument(1)) return s_.boolean(fits(s_.text(v[1])));
    if (v.size() > 1 && s_.kind(v[1]) == Kind::tuple) {
      for (ValueId part : s_.items(v[1])) {
        if (s_.kind(part) != Kind::string) return open;
        if (fits(s_.text(part))) return s_.boolean(true);
      }
      return s_.boolean(false);
    }
    return open;
  }
  if (name == "strip" || name == "lstrip" || name == "rstrip") {
    std::string_view set = text_argument(1) ? s_.text(v[1]) : std::string_view(" \t\n\r\f\v");
    std::size_t begin = name == "rstrip" ? 0 : std::min(s.find_first_not_of(set), s.size());
    std::size_t end = name == "lstrip" ? s.size() : s.find_last_not_of(set) + 1;
    return s_.string(begin < end ? s.substr(begin, end - begin) : std::string_view());
  }
  if (name == "replace" && text_argument(1) && text_argument(2)) {
    return s_.string(text::replace_all(std::string(s), s_.text(v[1]), s_.text(v[2])));
  }
  if ((name == "removeprefix" || name == "removesuffix") && text_argument(1)) {
    std::string_view part = s_.text(v[1]);
    if (name == "removeprefix" && s.starts_with(part)) s.remove_prefix(part.size());
    if (name == "removesuffix" && s.ends_with(part)) s.remove_suffix(part.size());
    return s_.string(s);
  }
  if (name == "split") {
    std::vector<ValueId> parts;
    if (text_argument(1)) {
      std::string_view sep = s_.text(v[1]);
      if (sep.empty()) return s_.raised(Symbol("ValueError"), {});
      for (std::size_t at = s.find(sep); at != std::string_view::npos; at = s.find(sep)) {
        parts.push_back(s_.string(s.substr(0, at)));
        s.remove_prefix(at + sep.size());
      }
      parts.push_back(s_.string(s));
    } else {
      for (std::string_view part : text::split(s, ' ')) {
        if (!text::trim(part).empty()) parts.push_back(s_.string(text::trim(part)));
      }
    }
    return v.size() > 2 ? open : s_.sequence(Kind::list, parts);
  }
  if (name == "join" && v.size() == 2) {
    auto items = items_of(v[1]);
    if (!items) return open;
    std::vector<std::string> parts;
    for (ValueId item : *items) {
      if (s_.kind(item) != Kind::string) return open;
      parts.emplace_back(s_.text(item));
    }
    return s_.string(text::join(parts, s));
  }
  auto all = [&](auto holds) { return s_.boolean(!s.empty() && std::ranges::all_of(s, holds)); };
  if (name == "isdigit" || name == "isdecimal" || name == "isnumeric") return all([](char c) { return c >= '0' && c <= '9'; });
  if (name == "isalpha") return all([](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  if (name == "find" && text_argument(1)) {
    std::size_t at = s.find(s_.text(v[1]));
    return s_.integer(at == std::string_view::npos ? -1 : static_cast<std::int64_t>(at));
  }
  return open;
}

ValueId Interpreter::path_method(std::string_view name, std::span<const ValueId> v) {
  if (name == "resolve" || name == "absolute" || name == "expanduser") return v[0];
  if (name == "as_posix" || name == "__str__") return s_.string(s_.node(v[0]).name);
  if (name == "joinpath" || name == "with_name") {
    ValueId out = v[0];
    for (ValueId part : v.subspan(1)) out = value::binary(s_, value::Binary::div, out, part);
    return name == "joinpath" ? out : s_.unknown({Free_::call, Symbol("Path.with_name")});
  }
  return s_.unknown({Free_::call, Symbol("Path." + std::string(name))});
}

ValueId Interpreter::dict_method(std::string_view name, ValueId dict) {
  auto items = s_.items(dict);
  std::vector<ValueId> out;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (name == "keys") out.push_back(items[i]);
    else if (name == "values") out.push_back(items[i + 1]);
    else if (name == "items") out.push_back(s_.sequence(Kind::tuple, items.subspan(i, 2)));
  }
  if (name == "keys" || name == "values" || name == "items") return s_.sequence(Kind::list, out, s_.node(dict).open);
  if (name == "copy") return dict;
  if (name == "update" || name == "clear") return s_.none();
  return s_.unknown({Free_::call, Symbol("dict." + std::string(name))});
}

ValueId Interpreter::sequence_method(std::string_view name, std::span<const ValueId> v) {
  if (name == "copy") return v[0];
  if (name == "append" || name == "extend" || name == "insert" || name == "add" || name == "update" || name == "sort" ||
      name == "reverse" || name == "remove" || name == "discard" || name == "clear") {
    return s_.none();
  }
  if (name == "is_family_of" && v.size() == 2 && is_arch_member(v[0]) && is_arch_member(v[1])) {
    // Of two members of CuTe-DSL's Arch: the same or a newer one of the family, built for it.
    auto mine = s_.items(v[0]), other = s_.items(v[1]);
    bool newer = s_.node(mine[1]).number >= s_.node(other[1]).number;
    return s_.boolean(mine[0] == other[0] && newer && mine[2] != s_.string(""));
  }
  if (name == "count" || name == "index") return s_.unknown({Free_::call, Symbol("list." + std::string(name))});
  if (s_.kind(v[0]) == Kind::set && v.size() == 2 && s_.kind(v[1]) == Kind::set) {
    auto op = name == "union" ? value::Binary::bit_or : name == "intersection" ? value::Binary::bit_and
              : name == "difference" ? value::Binary::sub : value::Binary::matmul;
    if (op != value::Binary::matmul) return value::binary(s_, op, v[0], v[1]);
  }
  return s_.unknown({Free_::call, Symbol(std::string(name))});
}

// `x.append(v)` and the like assign to x.
void Interpreter::mutate_receiver(NodeId callee_node, Lifted callee, const Arguments& arguments, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  if (t[callee_node].kind != NodeKind::attribute) return;
  bool plain = !l_.where(callee, [&](ValueId v) {
    if (s_.kind(v) != Kind::method) return false;
    Kind k = s_.kind(s_.items(v)[0]);
    return k == Kind::list || k == Kind::set || k == Kind::dict;
  }).empty();
  if (!plain) return;
  std::string_view name = t[callee_node].name.text();
  Lifted receiver = l_.map(callee, [&](ValueId v) { return s_.kind(v) == Kind::method ? s_.items(v)[0] : v; });
  Lifted changed = receiver;
  DeviceSet all = value::Values::all();
  const auto& args = arguments.positional;
  if ((name == "append" || name == "add") && args.size() == 1) {
    changed = append(receiver, args[0], all);
  } else if ((name == "extend" || name == "update") && args.size() == 1) {
    changed = l_.map(receiver, [&](ValueId v) { return v; });
    bool dict = !l_.where(receiver, [&](ValueId v) { return s_.kind(v) == Kind::dict; }).empty();
    changed = dict ? updated(receiver, args[0]) : extend(receiver, args[0], all);
  } else if (name == "insert" && args.size() == 2) {
    changed = l_.zip(receiver, args[1], [&](ValueId l, ValueId item) {
      if (s_.kind(l) != Kind::list) return l;
      std::vector<ValueId> items{item};  // the place does not matter for membership
      items.insert(items.end(), s_.items(l).begin(), s_.items(l).end());
      return s_.sequence(Kind::list, items, s_.node(l).open);
    });
  } else if (name == "clear" || name == "pop" || name == "remove" || name == "discard" || name == "setdefault" || name == "popitem") {
    changed = l_.map(receiver, [&](ValueId v) {
      Kind k = s_.kind(v);
      if (k == Kind::dict) return s_.dict(name == "clear" ? std::span<const ValueId>() : s_.items(v), name != "clear");
      if (k != Kind::list && k != Kind::set) return v;
      return s_.sequence(k, name == "clear" ? std::span<const ValueId>() : s_.items(v), name != "clear");
    });
  } else {
    return;
  }
  if (changed != receiver) assign(t.child(callee_node, 0), changed, f, mask - f.pending);
}

Lifted Interpreter::updated(Lifted dict, Lifted more) {
  return l_.zip(dict, more, [&](ValueId d, ValueId m) {
    if (s_.kind(d) != Kind::dict) return d;
    bool known = s_.kind(m) == Kind::dict;
    std::vector<ValueId> items(s_.items(d).begin(), s_.items(d).end());
    if (known) items.insert(items.end(), s_.items(m).begin(), s_.items(m).end());
    return s_.dict(items, s_.node(d).open || !known || s_.node(m).open);
  });
}

}  // namespace ungate::python
