// `if capability > cls.MAXIMUM: …` in a base class: what a class sets MAXIMUM to decides for it.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {

namespace {

// `cls.NAME`, `self.NAME` in a method.
bool is_own_attribute(const Tree& t, NodeId operand) {
  if (t[operand].kind != NodeKind::attribute) return false;
  const Node& base = t[t.child(operand, 0)];
  return base.kind == NodeKind::name && base.number == 1;
}

// The value of `NAME = value` or `NAME: type = value`; 0: none.
NodeId assigned_value(const Tree& t) {
  auto statements = t.children(t.root);
  if (statements.size() != 1) return 0;
  const Node& n = t[statements[0]];
  if (n.kind == NodeKind::annotated) return t.child(statements[0], 2);
  return n.kind == NodeKind::assign && n.count == 2 ? t.child(statements[0], 1) : 0;
}

}  // namespace

void Interpreter::note_bound(NodeId id, Lifted left, Lifted right, const Frame& f) {
  if (!f.emit || !f.receiver || f.klass == kNoIndex || f.function == kNoIndex) return;
  const Tree& t = *f.tree;
  for (std::size_t i = 0; i < 2; ++i) {
    NodeId operand = t.child(id, i);
    Lifted other = i == 0 ? right : left;
    if (!is_own_attribute(t, operand) || !depends_on_device(other) || !names_device(other)) continue;
    bool in_class = std::ranges::any_of(classes_[f.klass].mro, [&](ClassId c) { return classes_[c].declares(t[operand].name); });
    if (!in_class) continue;
    auto& known = bounds_[t[operand].name];
    if (std::ranges::any_of(known, [&](const Bound& b) { return b.tree == f.tree && b.node == id; })) continue;
    known.push_back({f.function, f.tree, id});
    derive(t[operand].name, Derived::As::name, f.module);
  }
}

// What the comparison gives for a class that sets the attribute itself.
void Interpreter::run_bounds(ClassId klass) {
  if (bounds_.empty() || classes_[klass].mro.size() < 2) return;
  const std::vector<ClassId> mro = classes_[klass].mro;
  for (const auto& [name, bounds] : bounds_) {
    auto bound = classes_[klass].binders.find(name);
    if (bound == classes_[klass].binders.end()) continue;
    const Klass::Member member = classes_[klass].members[bound->second.back()];
    if (member.kind != LineKind::simple || member.tree != nullptr) continue;
    const Tree& t = p_.parse_range(classes_[klass].module, member.range);
    NodeId value = assigned_value(t);
    if (value == 0) continue;
    for (const Bound& b : std::vector(bounds)) {
      ClassId base = functions_[b.function].klass;
      if (base == klass || std::ranges::find(mro, base) == mro.end() || !tried_bounds_.insert({klass, b.tree, b.node}).second) continue;
      record_bound(klass, b, t, value);
    }
  }
}

void Interpreter::record_bound(ClassId klass, const Bound& bound, const Tree& t, NodeId value) {
  Probe probe{bound.tree, bound.node, {}, {}, {}};
  Probe* outer = std::exchange(probe_, &probe);
  std::size_t fuel = std::exchange(fuel_, statistics.expressions + kFuel);
  auto [callable, slots] = generic_call(bound.function, 0, klass);
  run(callable, slots, false);
  fuel_ = fuel;
  probe_ = outer;
  if (probe.outcome == Outcome() || !probe.outcome.differs(arch::known_devices())) return;
  auto [entry, fresh] = choice_index_.try_emplace(key_of(&t, value), choices.size());
  if (!fresh) return;
  Choice c;
  c.place = {classes_[klass].module, t[value].range};
  c.kind = Choice::Kind::bound;
  c.want = probe.want;
  c.refusal = probe.arms.refusal, c.raise_type = probe.arms.type, c.raise_text = probe.arms.text;
  c.outcome = probe.outcome;
  c.alive = value::Values::all();
  c.function = classes_[klass].name;
  c.tree = &t;
  c.node = value;
  c.via.push_back({functions_[bound.function].module, (*bound.tree)[bound.node].range});
  choices.push_back(std::move(c));
}

}  // namespace ungate::python
