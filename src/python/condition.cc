// Conditions: their outcomes on all devices, leaf by leaf, and what a branch then knows.
#include "python/interpreter.h"

namespace ungate::python {
namespace {

Want flipped(Want w) { return w == Want::yes ? Want::no : w == Want::no ? Want::yes : w; }

}  // namespace

Outcome Interpreter::condition(NodeId expr, Frame& f, DeviceSet mask, const Arms& arms) {
  Whole whole{arms, expr, kNoIndex, {}};
  Lifted value = condition_value(expr, f, mask, arms.want, whole);
  Outcome outcome = l_.truth(value).on(mask);
  if (whole.index != kNoIndex) {
    conditions[whole.index].outcome |= outcome;
    conditions[whole.index].alive |= mask;
  }
  return outcome;
}

// A condition whose value is used: `return a and b`, `flag = a or b`.
Lifted Interpreter::eval_whole(NodeId expr, Frame& f, DeviceSet mask) {
  Whole whole{{}, expr, kNoIndex, {}};
  Lifted value = condition_value(expr, f, mask, Want::yes, whole);
  if (whole.index != kNoIndex) {
    conditions[whole.index].outcome |= choice_outcome(value).on(mask);
    conditions[whole.index].alive |= mask;
  }
  return value;
}

// Names and attributes that are returned are choices too.
Lifted Interpreter::eval_returned(NodeId expr, Frame& f, DeviceSet mask) {
  NodeKind kind = (*f.tree)[expr].kind;
  bool leaf = kind == NodeKind::name || kind == NodeKind::attribute;
  return leaf ? eval_whole(expr, f, mask) : eval(expr, f, mask);
}

Lifted Interpreter::condition_value(NodeId expr, Frame& f, DeviceSet mask, Want want, Whole& whole) {
  const Tree& t = *f.tree;
  const Node& n = t[expr];
  if (n.kind == NodeKind::bool_and || n.kind == NodeKind::bool_or) {
    bool conjunction = n.kind == NodeKind::bool_and;
    Lifted out;
    DeviceSet live = mask;
    bool first = true;
    source::Range outer = std::exchange(whole.either, conjunction ? source::Range() : n.range);
    auto [in_and, negated] = std::pair(std::exchange(whole.in_and, conjunction), std::exchange(whole.negated, false));
    std::size_t held_outside = held_.size();
    for (NodeId operand : t.children(expr)) {
      if (!first) {
        Outcome so_far = l_.truth(out).on(live);
        live = (conjunction ? so_far.may_pass() : so_far.may_fail()) - f.pending;
        if (live.empty()) break;
      }
      std::size_t held = held_.size();
      Lifted next = condition_value(operand, f, live, want, whole);
      held_.resize(held);
      if (conjunction && is_flag(t, operand)) held_.push_back(operand);
      Lifted joined = first ? next : l_.zip(out, next, [&](ValueId a, ValueId b) { return connect(conjunction, a, b); });
      out = first ? next : l_.overlay(out, live, joined);
      first = false;
    }
    held_.resize(held_outside);
    whole.either = outer, whole.in_and = in_and, whole.negated = negated;
    return out;
  }
  if (n.kind == NodeKind::bool_not) {
    whole.negated = !whole.negated;
    Lifted inner = condition_value(t.child(expr, 0), f, mask, flipped(want), whole);
    whole.negated = !whole.negated;
    return l_.map(inner, [&](ValueId v) { return negate(v); });
  }
  std::vector<Place> via;
  std::vector<Place>* outer_via = f.emit ? std::exchange(f.via, &via) : f.via;
  Choice::Position position = f.position;
  f.intermediate = false;
  Lifted value = eval_raw(expr, f, mask);
  if (!held_.empty() && !l_.uniform(value) && is_flag(t, expr)) value = given_what_holds(expr, value, f);
  f.position = position;
  if (depends_on_device(value)) (set_by_exits(expr, f) ? f.asks_exits : f.asks_own) = true;
  if (f.emit) {
    f.via = outer_via;
    if (!whole.arms.ignored) record(expr, value, f, mask, want, &whole, via);
  }
  if (probe_ != nullptr && probe_->tree == f.tree && probe_->node == expr) {
    probe_->outcome |= choice_outcome(value).on(mask);
    probe_->want = want;
    probe_->arms = whole.arms;
  }
  return value;
}

// `a and b` or `a or b` on one device. An unknown operand leaves the other beside it; within alternatives
// it stands for itself only, or it would make a truth value out of nothing.
ValueId Interpreter::connect(bool conjunction, ValueId a, ValueId b) {
  ValueId out = s_.absent();
  bool alone = s_.kind(a) != Kind::alternatives;
  s_.each(a, [&](ValueId x) {
    value::Truth truth = s_.truth(x);
    bool decides = truth == (conjunction ? value::kFalse : value::kTrue);
    if (truth == value::kNever) return;
    if (truth != value::kUnknown) {
      out = s_.join(out, decides ? x : b);
      return;
    }
    bool same = s_.truth(b) == (conjunction ? value::kFalse : value::kTrue);
    if (same) out = s_.join(out, b);
    else out = alone ? s_.join(out, s_.join(x, b)) : s_.join(out, x);
  });
  return out;
}

ValueId Interpreter::negate(ValueId v) {
  return s_.lift(v, [&](ValueId x) {
    value::Truth truth = s_.truth(x);
    if (truth == value::kTrue || truth == value::kFalse) return s_.boolean(truth == value::kFalse);
    return s_.unknown({Free_::name, Symbol(s_.to_text(x))});
  });
}

// Narrows what a local may hold to what the branch allows.
void Interpreter::refine(NodeId expr, bool holds, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  const Node& n = t[expr];
  if (n.kind == NodeKind::bool_not) return refine(t.child(expr, 0), !holds, f, mask);
  if ((n.kind == NodeKind::bool_and && holds) || (n.kind == NodeKind::bool_or && !holds)) {
    for (NodeId operand : t.children(expr)) refine(operand, holds, f, mask);
    return;
  }
  auto narrow = [&](NodeId name, auto&& keep, ValueId instead_of_unknown) {
    if (t[name].kind != NodeKind::name || t[name].number == 0) return;
    Lifted& slot = f.slots[t[name].number - 1];
    Lifted narrowed = l_.map(slot, [&](ValueId v) {
      if (s_.kind(v) != Kind::alternatives && !s_.is_unknown(v)) return v;
      ValueId out = s_.absent();
      s_.each(v, [&](ValueId x) {
        if (s_.is_unknown(x)) out = s_.join(out, s_.is_absent(instead_of_unknown) ? x : instead_of_unknown);
        else if (keep(x)) out = s_.join(out, x);
      });
      return s_.is_absent(out) ? v : out;
    });
    slot = l_.overlay(slot, mask, narrowed);
  };
  if (n.kind == NodeKind::name) {
    value::Truth wrong = holds ? value::kFalse : value::kTrue;
    narrow(expr, [&](ValueId x) { return s_.truth(x) != wrong; }, s_.absent());
  } else if (n.kind == NodeKind::compare && n.count == 2) {
    auto op = static_cast<value::Comparison>(t.operators(expr)[0]);
    bool identity = op == value::Comparison::eq || op == value::Comparison::ne || op == value::Comparison::is ||
                    op == value::Comparison::is_not;
    NodeId right = t.child(expr, 1);
    if (t[right].kind != NodeKind::constant) return;
    ValueId constant = l_.at(eval_constant(t, right), 0);
    bool same = holds == (op == value::Comparison::eq || op == value::Comparison::is);
    auto keep = [&](ValueId x) {
      value::Truth truth = s_.truth(value::compare(s_, op, x, constant));
      return truth != (holds ? value::kFalse : value::kTrue);
    };
    narrow(t.child(expr, 0), keep, identity && same ? constant : s_.absent());
  }
}

}  // namespace ungate::python
