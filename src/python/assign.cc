// Assignment to names, fields, items and tuples.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {

// Definitions and imports carry their name, not a `name` node; the slot is found by it.
void Interpreter::assign_name(Symbol name, Lifted value, Frame& f, DeviceSet mask) {
  const auto& slots = scope_of(f).slots;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] == name) f.slots[i] = l_.overlay(f.slots[i], mask, value);
  }
}

void Interpreter::assign(NodeId target, Lifted value, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  const Node& n = t[target];
  switch (n.kind) {
    case NodeKind::name:
      if (n.number == 0) {
        note_stored(f.module, n.name, value, mask);
        f.set.push_back(n.name);
        // `global FAST` … `if is_sm100(): FAST = True`
        bool decided = f.device_arms > 0 && s_.kind(l_.at(value, 0)) == Kind::boolean;
        if (f.emit && f.function != kNoIndex && (decided || depends_on_device(value))) derive(n.name, Derived::As::name, f.module);
        break;
      }
      if (n.number <= f.answers.size()) f.answers[n.number - 1] = 0;
      f.slots[n.number - 1] = l_.overlay(f.slots[n.number - 1], mask, value);
      if (f.emit && !l_.uniform(value)) {
        f.origins.resize(f.slots.size());
        f.origins[n.number - 1] = {f.module, n.range};
      }
      break;
    case NodeKind::tuple:
    case NodeKind::list: unpack(target, value, f, mask); break;
    case NodeKind::star: assign(t.child(target, 0), unknown(Free_::call, "starred target"), f, mask); break;
    case NodeKind::attribute: {
      Lifted base = eval(t.child(target, 0), f, mask);
      Lifted changed = l_.zip(base, value, [&](ValueId object, ValueId v) {
        return s_.kind(object) == Kind::object ? s_.with_field(object, n.name, v) : object;
      });
      note_chosen_field(base, n.name, value, {f.module, n.range}, f);
      note_stored(base, n.name, value, mask);
      if (l_.uniform(base) && s_.kind(l_.value(base)) == Kind::klass) f.set.push_back(n.name);
      if (f.emit && depends_on_device(value)) derive(n.name, Derived::As::attribute, f.module);
      if (changed != base) reassign(t.child(target, 0), changed, f, mask);
      break;
    }
    case NodeKind::subscript: {
      Lifted base = eval(t.child(target, 0), f, mask), key = eval(t.child(target, 1), f, mask);
      Lifted changed = set_item(base, key, value);
      if (changed != base) reassign(t.child(target, 0), changed, f, mask);
      break;
    }
    default: break;
  }
}

// What an assignment to a part of it made of an object: it was not assigned itself.
void Interpreter::reassign(NodeId target, Lifted changed, Frame& f, DeviceSet mask) {
  const Node& n = (*f.tree)[target];
  if (n.kind != NodeKind::name) assign(target, changed, f, mask);
  else if (n.number != 0) f.slots[n.number - 1] = l_.overlay(f.slots[n.number - 1], mask, changed);
}

// A field that a device decides of: given a value that differs, or given one in an arm for some devices.
void Interpreter::note_chosen_field(Lifted object, Symbol name, Lifted value, const Place& place, const Frame& f) {
  bool differs = !l_.uniform(value);
  if (f.device_arms == 0 && !differs) return;
  l_.each(object, [&](DeviceSet, ValueId v) {
    if (s_.kind(v) != Kind::object) return;
    auto& places = chosen_fields_[{s_.node(v).ref, name}];
    if (differs && places.size() < kContexts && std::ranges::find(places, place) == places.end()) places.push_back(place);
  });
}

// Where a field was given a value that differs between devices.
void Interpreter::note_field_read(Lifted object, Symbol name, Frame& f) const {
  l_.each(object, [&](DeviceSet, ValueId v) {
    if (s_.kind(v) != Kind::object) return;
    for (ClassId c : classes_[s_.node(v).ref].mro) {
      auto found = chosen_fields_.find({c, name});
      if (found == chosen_fields_.end()) continue;
      for (const Place& place : found->second) {
        if (std::ranges::find(*f.via, place) == f.via->end()) f.via->push_back(place);
      }
    }
  });
}

// `ok, why = supports(cc)`: what asks for ok next asks for the call's answer.
void Interpreter::note_answer(NodeId target, NodeId value, Frame& f) {
  const Tree& t = *f.tree;
  if (t[target].kind != NodeKind::tuple || t[target].count == 0 || t[value].kind != NodeKind::call) return;
  NodeId first = t.child(target, 0);
  if (t[first].kind != NodeKind::name || t[first].number == 0) return;
  f.answers.resize(f.slots.size(), 0);
  f.answers[t[first].number - 1] = value;
}

void Interpreter::unpack(NodeId target, Lifted value, Frame& f, DeviceSet mask) {
  auto targets = f.tree->children(target);
  bool starred = false;
  for (NodeId t : targets) starred = starred || (*f.tree)[t].kind == NodeKind::star;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Lifted item = l_.map(value, [&](ValueId v) {
      return s_.lift(v, [&](ValueId container) {
        Kind k = s_.kind(container);
        bool sequence = k == Kind::tuple || k == Kind::list || k == Kind::record;
        if (!sequence || starred || s_.node(container).open) {
          return sequence || k == Kind::external || k == Kind::object || k == Kind::string || k == Kind::set
                     ? s_.unknown({Free_::call, Symbol("unpacked value")})
                     : s_.raised(Symbol("TypeError"), {});
        }
        if (s_.items(container).size() != targets.size()) return s_.raised(Symbol("ValueError"), {});
        return s_.items(container)[i];
      });
    });
    note_absent(item, f, mask);
    assign(targets[i], item, f, mask - f.pending);
  }
}

Lifted Interpreter::set_item(Lifted base, Lifted key, Lifted value) {
  Lifted pairs = l_.zip(base, key, [&](ValueId container, ValueId k) {
    if (s_.kind(container) != Kind::dict) return container;
    std::vector<ValueId> items(s_.items(container).begin(), s_.items(container).end());
    if (s_.may_be_unknown(k) || s_.kind(k) == Kind::alternatives) return s_.dict(items, true);
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      if (items[i] == k) return container;  // replaced below
    }
    items.push_back(k);
    items.push_back(s_.none());
    return s_.dict(items, s_.node(container).open);
  });
  Lifted keyed = l_.zip(pairs, key, [&](ValueId container, ValueId k) {
    ValueId both[] = {container, k};
    return s_.sequence(Kind::tuple, both);
  });
  return l_.zip(keyed, value, [&](ValueId both, ValueId v) {
    ValueId container = s_.items(both)[0], k = s_.items(both)[1];
    if (s_.kind(container) != Kind::dict) return container;
    std::vector<ValueId> items(s_.items(container).begin(), s_.items(container).end());
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      if (items[i] == k) items[i + 1] = v;
    }
    return s_.dict(items, s_.node(container).open);
  });
}

}  // namespace ungate::python
