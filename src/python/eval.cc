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
