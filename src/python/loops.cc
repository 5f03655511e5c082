// Loops, exceptions and contexts.
#include "python/interpreter.h"

namespace ungate::python {

DeviceSet Interpreter::exec_for(NodeId id, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  NodeId target = t.child(id, 0), body = t.child(id, 2), orelse = t.child(id, 3);
  f.position = Choice::Position::argument;
  Lifted iterable = eval(t.child(id, 1), f, mask);
  mask -= f.pending;
  DeviceSet outer_broke = std::exchange(f.broke, {}), outer_continued = std::exchange(f.continued, {});
  DeviceSet done, running = mask;
  std::optional<std::size_t> rounds = known_length(iterable, mask);
  if (rounds && *rounds <= kUnroll) {
    std::vector<UniformRound> uniform;
    std::vector<UniformRound>* outer = std::exchange(f.rounds, f.emit ? &uniform : nullptr);
    for (std::size_t i = 0; i < *rounds && !running.empty(); ++i) {
      Lifted item = item_at(iterable, i);
      DeviceSet here = running - l_.absent(item);
      done |= running - here;
      assign(target, item, f, here);
      f.continued = {};
      running = exec_block(body, f, here) | f.continued;
    }
    f.rounds = outer;
    if (outer != nullptr) outer->insert(outer->end(), uniform.begin(), uniform.end());
    join_uniform_rounds(uniform, f);
  } else {
    // Any number of rounds: what the body assigns may or may not have happened.
    std::vector<Lifted> before = f.slots;
    forget_assigned(body, f, mask);
    assign(target, element_of(iterable), f, mask);
    DeviceSet after = exec_block(body, f, mask) | f.continued | f.broke;
    merge_slots(f, after, before, mask);
    running = mask;
    f.broke = {};
  }
  DeviceSet broke = std::exchange(f.broke, outer_broke);
  f.continued = outer_continued;
  DeviceSet ended = done | running;
  if (orelse != 0) ended = exec_block(orelse, f, ended);
  return ended | broke;
}

DeviceSet Interpreter::exec_while(NodeId id, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  DeviceSet outer_broke = std::exchange(f.broke, {}), outer_continued = std::exchange(f.continued, {});
  f.position = Choice::Position::condition;
  Outcome outcome = condition(t.child(id, 0), f, mask, {});
  mask -= f.pending;
  std::vector<Lifted> before = f.slots;
  DeviceSet enters = outcome.may_pass() & mask;
  forget_assigned(t.child(id, 1), f, enters);
  DeviceSet after = exec_block(t.child(id, 1), f, enters) | f.continued | f.broke;
  merge_slots(f, after, before, mask);
  // `while True` ends by break, return or raise only.
  DeviceSet endless = outcome.may_true - outcome.may_fail();
  mask = (mask - endless) | after;
  f.broke = outer_broke, f.continued = outer_continued;
  return t.child(id, 2) != 0 ? exec_block(t.child(id, 2), f, mask) : mask;
}

// After an unknown number of rounds the names that a body assigns hold anything.
void Interpreter::forget_assigned(NodeId id, Frame& f, DeviceSet mask) {
  if (id == 0) return;
  const Tree& t = *f.tree;
  const Node& n = t[id];
  auto forget = [&](NodeId target, auto&& self) -> void {
    const Node& name = t[target];
    if (name.kind == NodeKind::name && name.number != 0) {
      Lifted& slot = f.slots[name.number - 1];
      Lifted any = l_.join(slot, unknown(Free_::name, name.name.text()));
      slot = l_.overlay(slot, mask, any);
    } else if (name.kind == NodeKind::tuple || name.kind == NodeKind::list) {
      for (NodeId part : t.children(target)) self(part, self);
    }
  };
  if (n.kind == NodeKind::assign) {
    for (std::size_t i = 0; i + 1 < n.count; ++i) forget(t.child(id, i), forget);
  } else if (n.kind == NodeKind::augmented || n.kind == NodeKind::for_) {
    forget(t.child(id, 0), forget);
  }
  if (n.kind == NodeKind::function || n.kind == NodeKind::klass || n.kind == NodeKind::lambda) return;
  for (NodeId part : t.children(id)) forget_assigned(part, f, mask);
}

DeviceSet Interpreter::exec_try(NodeId id, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  auto parts = t.children(id);
  DeviceSet outer = std::exchange(f.raised, {});
  ++f.tries;
  DeviceSet alive = exec_block(parts[0], f, mask);
  --f.tries;
  DeviceSet caught = std::exchange(f.raised, outer);
  if (parts[1] != 0) alive = exec_block(parts[1], f, alive);
  for (std::size_t i = 3; i < parts.size() && !caught.empty(); ++i) {
    if (!handles(t, parts[i], f.raise_type)) continue;
    std::vector<Lifted> body = f.slots;
    if (!t[parts[i]].name.empty()) {
      assign_name(t[parts[i]].name, unknown(Free_::call, "exception"), f, caught);
    }
    DeviceSet after = exec_block(t.child(parts[i], 1), f, caught);
    merge_slots(f, after, body, alive);
    alive |= after;
    caught = {};
  }
  f.raised |= caught;
  return parts[2] != 0 ? exec_block(parts[2], f, alive) : alive;
}

DeviceSet Interpreter::exec_with(NodeId id, Frame& f, DeviceSet mask) {
  auto parts = f.tree->children(id);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    f.position = Choice::Position::argument;
    eval(f.tree->child(parts[i], 0), f, mask);
    NodeId target = f.tree->child(parts[i], 1);
    if (target != 0) assign(target, unknown(Free_::call, "context"), f, mask);
  }
  return exec_block(parts[0], f, mask - f.pending);
}

}  // namespace ungate::python
