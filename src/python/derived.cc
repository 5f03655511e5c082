// Names that hold an earlier choice: which of them are told where they are asked for, and which where they were set.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {

// `ok, why = supports(cc)` and `if ok:` are one gate: the call, with what the test does.
bool Interpreter::answers_call(NodeId expr, Want want, const Whole& whole, const Frame& f) {
  const Tree& t = *f.tree;
  const Node& n = t[expr];
  bool alone = whole.root == expr || (t[whole.root].kind == NodeKind::bool_not && t.child(whole.root, 0) == expr);
  bool tested = f.position == Choice::Position::condition && n.kind == NodeKind::name && n.number != 0 && alone;
  NodeId call = tested && n.number <= f.answers.size() ? f.answers[n.number - 1] : 0;
  if (call == 0) return false;
  auto known = choice_index_.find(key_of(f.tree, call));
  if (known == choice_index_.end()) return false;
  Choice& c = choices[known->second];
  c.position = Choice::Position::condition;
  c.want = want;
  c.refusal = whole.arms.refusal, c.raise_type = whole.arms.type, c.raise_text = whole.arms.text;
  c.serves = whole.arms.body, c.other = whole.arms.orelse;
  if (want == Want::no) std::swap(c.serves, c.other);
  return true;
}

// True for a local that only constants are assigned to: what differs is which arm assigned it, and the gate is
// there. One that answers yes or no is asked again where it opens something.
bool Interpreter::set_by_arms(NodeId expr, Lifted value, Want want, const Frame& f) const {
  bool answers = f.position == Choice::Position::condition && want == Want::yes;
  bool closes = false;
  l_.each(value, [&](DeviceSet, ValueId v) {
    s_.each(v, [&](ValueId x) { answers = answers && (s_.kind(x) == Kind::boolean || s_.is_absent(x) || s_.is_unknown(x)); });
    closes = closes || s_.truth(v) == value::kFalse;
  });
  if (answers && closes) return false;
  const Node& n = (*f.tree)[expr];
  if (n.kind != NodeKind::name || n.number == 0 || f.function == kNoIndex) return false;
  const Function& fn = functions_[f.function];
  std::size_t slot = n.number - 1;
  bool parameter = slot < fn.tree->children(fn.params()).size();
  return !parameter && (slot >= f.origins.size() || f.origins[slot].range.empty());
}

// True for a field of `self` that holds the same for all devices but those that left before it was set:
// `self.disabled = True … if not fits(cc): return … self.disabled = False`. The gate is where they leave.
bool Interpreter::set_by_exits(NodeId expr, const Frame& f) const {
  const Tree& t = *f.tree;
  const Node& n = t[expr];
  if (n.kind != NodeKind::attribute || f.klass == kNoIndex || !f.receiver) return false;
  const Node& base = t[t.child(expr, 0)];
  if (base.kind != NodeKind::name || base.number != 1) return false;
  const Klass& k = classes_[f.klass];
  bool field = false;
  for (ClassId c : k.mro) {
    if (chosen_fields_.contains({c, n.name}) || classes_[c].binders.contains(n.name)) return false;
    field = field || classes_[c].cells.contains(n.name);
  }
  return field;
}

}  // namespace ungate::python
