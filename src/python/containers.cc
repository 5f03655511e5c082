// Displays and comprehensions, and adding to containers.
#include "python/interpreter.h"

namespace ungate::python {

Lifted Interpreter::append(Lifted list, Lifted item, DeviceSet where) {
  Lifted longer = l_.zip(list, item, [&](ValueId l, ValueId v) {
    if (s_.kind(l) != Kind::list && s_.kind(l) != Kind::tuple && s_.kind(l) != Kind::set) return l;
    std::vector<ValueId> items(s_.items(l).begin(), s_.items(l).end());
    if (items.size() >= kMaxItems) return s_.sequence(s_.kind(l), items, true);
    items.push_back(v);
    return s_.sequence(s_.kind(l), items, s_.node(l).open);
  });
  return l_.overlay(list, where, longer);
}

Lifted Interpreter::extend(Lifted list, Lifted more, DeviceSet where) {
  Lifted longer = l_.zip(list, more, [&](ValueId l, ValueId m) {
    Kind k = s_.kind(l);
    if (k != Kind::list && k != Kind::tuple && k != Kind::set) return l;
    std::vector<ValueId> items(s_.items(l).begin(), s_.items(l).end());
    bool listed = value::is_container(s_.kind(m));
    if (listed) {
      std::size_t step = s_.kind(m) == Kind::dict ? 2 : 1;
      for (std::size_t i = 0; i < s_.items(m).size(); i += step) items.push_back(s_.items(m)[i]);
    }
    bool open = s_.node(l).open || !listed || s_.node(m).open || items.size() > kMaxItems;
    if (items.size() > kMaxItems) items.resize(kMaxItems);
    return s_.sequence(k, items, open);
  });
  return l_.overlay(list, where, longer);
}

Lifted Interpreter::eval_items(NodeId id, Kind kind, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  Choice::Position position = std::exchange(f.position, Choice::Position::argument);
  Lifted out;
  // Fast path: constants and values that do not depend on the device.
  std::vector<ValueId> plain;
  bool uniform = true;
  for (NodeId item : t.children(id)) {
    bool star = t[item].kind == NodeKind::star;
    Lifted value = eval(star ? t.child(item, 0) : item, f, mask);
    if (uniform && !star && l_.uniform(value)) {
      plain.push_back(l_.value(value));
      continue;
    }
    if (uniform) out = l_.of(s_.sequence(kind, plain));
    uniform = false;
    out = star ? extend(out, value, value::Values::all()) : append(out, value, value::Values::all());
  }
  f.position = position;
  return uniform ? l_.of(s_.sequence(kind, plain)) : out;
}

Lifted Interpreter::eval_dict(NodeId id, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  Choice::Position position = std::exchange(f.position, Choice::Position::argument);
  Lifted out = l_.of(s_.dict({}));
  auto parts = t.children(id);
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    if (t[parts[i]].kind == NodeKind::double_star) {
      Lifted more = eval(t.child(parts[i], 0), f, mask);
      out = l_.zip(out, more, [&](ValueId d, ValueId m) {
        bool dict = s_.kind(m) == Kind::dict;
        std::vector<ValueId> items(s_.items(d).begin(), s_.items(d).end());
        if (dict) items.insert(items.end(), s_.items(m).begin(), s_.items(m).end());
        return s_.dict(items, s_.node(d).open || !dict || s_.node(m).open);
      });
      continue;
    }
    Lifted key = eval(parts[i], f, mask), value = eval(parts[i + 1], f, mask);
    if (i / 2 >= kMaxItems) continue;
    out = on_each_shallow({out, key, value}, [&](std::span<const ValueId> v) {
      std::vector<ValueId> items(s_.items(v[0]).begin(), s_.items(v[0]).end());
      items.push_back(v[1]);
      items.push_back(v[2]);
      return s_.dict(items, s_.node(v[0]).open);
    });
  }
  if (parts.size() / 2 > kMaxItems) {
    out = l_.map(out, [&](ValueId d) { return s_.dict(s_.items(d), true); });
  }
  f.position = position;
  return out;
}

Lifted Interpreter::eval_comprehension(NodeId id, Frame& f, DeviceSet mask) {
  auto kind = static_cast<Comprehension>((*f.tree)[id].op);
  Choice::Position position = std::exchange(f.position, Choice::Position::argument);
  std::vector<Lifted> before = f.slots;
  Lifted out = kind == Comprehension::dict  ? l_.of(s_.dict({}))
               : kind == Comprehension::set ? l_.of(s_.sequence(Kind::set, {}))
                                            : l_.of(s_.sequence(Kind::list, {}));
  comprehend(id, 2, f, mask, out);
  f.slots = std::move(before);
  f.position = position;
  return out;
}

// Clause `at` and those after it, for the devices of the mask; adds the elements to `out`.
void Interpreter::comprehend(NodeId id, std::size_t at, Frame& f, DeviceSet mask, Lifted& out) {
  const Tree& t = *f.tree;
  auto reopen = [&](DeviceSet where) {
    Lifted opened = l_.map(out, [&](ValueId v) {
      if (s_.kind(v) == Kind::dict) return s_.dict(s_.items(v), true);
      return s_.kind(v) == Kind::list || s_.kind(v) == Kind::set ? s_.sequence(s_.kind(v), s_.items(v), true) : v;
    });
    out = l_.overlay(out, where, opened);
  };
  if (mask.empty()) return;
  if (at == t[id].count) {
    Lifted element = eval(t.child(id, 0), f, mask);
    if (t.child(id, 1) != 0) {
      Lifted value = eval(t.child(id, 1), f, mask);
      out = l_.overlay(out, mask, with_entry(out, element, value));
    } else {
      out = append(out, element, mask);
    }
    return;
  }
  NodeId clause = t.child(id, at);
  if (t[clause].kind == NodeKind::clause_if) {
    f.position = Choice::Position::condition;
    Outcome outcome = condition(t.child(clause, 0), f, mask, {});
    f.position = Choice::Position::argument;
    // Elements that may be missing leave the container open.
    DeviceSet maybe = outcome.may_unknown | (outcome.may_true & outcome.may_false);
    reopen(maybe & mask);
    comprehend(id, at + 1, f, (outcome.may_true - maybe) & mask, out);
    return;
  }
  Lifted iterable = eval(t.child(clause, 1), f, mask);
  std::optional<std::size_t> rounds = known_length(iterable, mask);
  if (!rounds || *rounds > kUnroll * 2) {
    // Evaluate once for the choices in it; how often it runs is open.
    assign(t.child(clause, 0), element_of(iterable), f, mask);
    Lifted ignored = l_.of(s_.sequence(Kind::list, {}));
    comprehend(id, at + 1, f, mask, ignored);
    reopen(mask);
    return;
  }
  DeviceSet running = mask;
  for (std::size_t i = 0; i < *rounds; ++i) {
    Lifted item = item_at(iterable, i);
    running -= l_.absent(item);
    assign(t.child(clause, 0), item, f, running);
    comprehend(id, at + 1, f, running, out);
  }
}

Lifted Interpreter::with_entry(Lifted dict, Lifted key, Lifted value) {
  return on_each_shallow({dict, key, value}, [&](std::span<const ValueId> v) {
    if (s_.kind(v[0]) != Kind::dict) return v[0];
    std::vector<ValueId> items(s_.items(v[0]).begin(), s_.items(v[0]).end());
    items.push_back(v[1]);
    items.push_back(v[2]);
    return s_.dict(items, s_.node(v[0]).open);
  });
}

}  // namespace ungate::python
