// Statements, under a mask of the devices that reach them.
#include "python/interpreter.h"

namespace ungate::python {

DeviceSet Interpreter::exec_block(NodeId block, Frame& f, DeviceSet mask) {
  if (block == 0) return mask;
  if ((*f.tree)[block].kind != NodeKind::block) return exec(block, f, mask);  // an elif
  for (NodeId statement : f.tree->children(block)) {
    if (mask.empty()) return {};
    mask = exec(statement, f, mask);
  }
  return mask;
}

DeviceSet Interpreter::exec(NodeId id, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  const Node& n = t[id];
  if (f.module == watch_.module && f.emit && n.range.contains(watch_.offset)) note_reached(id, f, mask);
  DeviceSet outer_pending = std::exchange(f.pending, {});
  auto child = [&](std::size_t i) { return t.child(id, i); };
  switch (n.kind) {
    case NodeKind::expression:
      f.position = Choice::Position::argument;
      eval(child(0), f, mask);
      break;
    case NodeKind::assign: {
      f.position = Choice::Position::assigned;
      bool alias = f.function == kNoIndex;
      Lifted value = alias ? passed(child(n.count - 1), f.position, f, mask) : eval(child(n.count - 1), f, mask);
      for (std::size_t i = 0; i + 1 < n.count; ++i) assign(child(i), value, f, mask - f.pending);
      if (f.emit) note_answer(child(0), child(n.count - 1), f);
      break;
    }
    case NodeKind::augmented: {
      f.position = Choice::Position::assigned;
      Lifted left = eval(child(0), f, mask), right = eval(child(1), f, mask);
      Lifted value = l_.zip(left, right, [&](ValueId a, ValueId b) {
        return s_.lift(a, b, [&](ValueId x, ValueId y) {
          return value::binary(s_, static_cast<value::Binary>(n.op), x, y);
        });
      });
      assign(child(0), value, f, mask - f.pending);
      break;
    }
    case NodeKind::annotated:
      if (child(2) != 0) {
        f.position = Choice::Position::assigned;
        Lifted value = eval(child(2), f, mask);
        assign(child(0), value, f, mask - f.pending);
      }
      break;
    case NodeKind::if_: mask = exec_if(id, f, mask); break;
    case NodeKind::for_: mask = exec_for(id, f, mask); break;
    case NodeKind::while_: mask = exec_while(id, f, mask); break;
    case NodeKind::try_: mask = exec_try(id, f, mask); break;
    case NodeKind::with: mask = exec_with(id, f, mask); break;
    case NodeKind::match: mask = exec_match(id, f, mask); break;
    case NodeKind::return_: {
      f.position = Choice::Position::returned;
      f.intermediate = false;
      Lifted value = child(0) == 0 ? l_.of(s_.none()) : eval_returned(child(0), f, mask);
      if (depends_on_device(value)) (f.intermediate ? f.returns_chosen : f.returns_own) = true;
      DeviceSet done = mask - f.pending;
      DeviceSet again = done - l_.absent(f.returned);
      f.returned = l_.merge(f.returned, again | (DeviceSet(~0ull) - done), value, done);
      mask = f.pending & mask;
      break;
    }
    case NodeKind::raise:
      if (child(0) != 0) {
        f.position = Choice::Position::argument;
        describe_raise(child(0), f);
        eval(child(0), f, mask);
      }
      f.raised |= mask;
      note_refusal(f, mask);
      mask = {};
      break;
    case NodeKind::assert_: mask = exec_assert(id, f, mask); break;
    case NodeKind::function: assign_name(n.name, define_function(id, f), f, mask); break;
    case NodeKind::klass: assign_name(n.name, define_class(id, f), f, mask); break;
    case NodeKind::import:
    case NodeKind::import_from:
      for (NodeId alias : t.children(id)) {
        assign_name(t.symbols[t[alias].number], import_alias(t, id, alias, f.module), f, mask);
      }
      break;
    case NodeKind::break_:
      f.broke |= mask;
      mask = {};
      break;
    case NodeKind::continue_:
      f.continued |= mask;
      mask = {};
      break;
    case NodeKind::error:
      problem(f, n.range, "text that the grammar does not know");
      break;
    default: break;
  }
  f.raised |= f.pending & mask;
  mask -= f.pending;
  f.pending = outer_pending;
  return mask;
}

// --- Branches --------------------------------------------------------------------------------------

DeviceSet Interpreter::exec_if(NodeId id, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  NodeId test = t.child(id, 0), body = t.child(id, 1), orelse = t.child(id, 2);
  Arms arms = judge_arms(t, body, orelse);
  auto [chain, arm] = f.emit ? chain_of(id, f) : std::pair(kNoIndex, 0u);
  std::uint32_t outer_chain = std::exchange(f.chain, chain), outer_arm = std::exchange(f.arm, arm);
  f.position = Choice::Position::condition;
  Outcome outcome = condition(test, f, mask, arms);
  f.chain = outer_chain, f.arm = outer_arm;
  if (f.emit) record_arm(chain, arm, t, test, outcome, mask, arms);
  mask -= f.pending;
  DeviceSet taken = outcome.may_pass() & mask, other = outcome.may_fail() & mask;
  if (other.empty()) {
    refine(test, true, f, taken);
    return exec_block(body, f, taken);
  }
  if (taken.empty()) {
    refine(test, false, f, other);
    return orelse == 0 ? other : exec_block(orelse, f, other);
  }
  std::vector<Lifted> before = f.slots;
  refine(test, true, f, taken);
  int told_apart = outcome.differs(mask) ? 1 : 0;
  f.device_arms += told_apart;
  DeviceSet left = left_for_later(f);
  DeviceSet after_body = exec_block(body, f, taken);
  DeviceSet body_left = left_for_later(f) - left;
  std::vector<Lifted> slots = std::exchange(f.slots, std::move(before));
  refine(test, false, f, other);
  DeviceSet after_else = orelse == 0 ? other : exec_block(orelse, f, other);
  f.device_arms -= told_apart;
  DeviceSet else_left = left_for_later(f) - left - body_left;
  merge_slots(f, after_else | else_left, slots, after_body | body_left);
  return after_body | after_else;
}

// Devices that left the straight path but whose variables are still looked at: after a loop, in a handler.
DeviceSet Interpreter::left_for_later(const Frame& f) const {
  return f.broke | f.continued | (f.tries > 0 ? f.raised : DeviceSet());
}

void Interpreter::merge_slots(Frame& f, DeviceSet mine, const std::vector<Lifted>& other, DeviceSet theirs) {
  for (std::size_t i = 0; i < f.slots.size(); ++i) f.slots[i] = l_.merge(f.slots[i], mine, other[i], theirs);
}

// `if cc[0] != 9: raise` in a function of its own: whoever calls it is refused there.
void Interpreter::note_refusal(const Frame& f, DeviceSet refused) {
  if (f.function != kNoIndex && f.tries == 0 && refused != value::Values::all()) functions_[f.function].refuses = true;
}

DeviceSet Interpreter::exec_assert(NodeId id, Frame& f, DeviceSet mask) {
  Arms arms;
  arms.want = Want::yes;
  arms.refusal = Refusal::raises;
  arms.type = Symbol("AssertionError");
  NodeId message = f.tree->child(id, 1);
  if (message != 0) arms.text = literal_text(*f.tree, message);
  f.position = Choice::Position::condition;
  Outcome outcome = condition(f.tree->child(id, 0), f, mask, arms);
  refine(f.tree->child(id, 0), true, f, mask);
  if (DeviceSet failed = (outcome.may_false & mask) - outcome.may_pass(); !failed.empty()) {
    f.raised |= failed;
    note_refusal(f, failed);
    f.raise_type = arms.type, f.raise_text = arms.text;
  }
  return outcome.may_pass() & mask;
}

DeviceSet Interpreter::exec_match(NodeId id, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  auto parts = t.children(id);
  Lifted subject = eval(parts[0], f, mask);
  mask -= f.pending;
  DeviceSet left = mask, out;
  std::vector<Lifted> before = f.slots, merged = f.slots;
  for (std::size_t i = 1; i < parts.size() && !left.empty(); ++i) {
    NodeId pattern = t.child(parts[i], 0), guard = t.child(parts[i], 1);
    f.slots = before;
    Outcome fits = match_pattern(pattern, subject, f, left);
    DeviceSet taken = fits.may_pass() & left, fails = fits.may_fail() & left;
    if (guard != 0) {
      Outcome passes = condition(guard, f, taken, {});
      fails |= passes.may_fail() & taken;
      taken &= passes.may_pass();
    }
    DeviceSet after = exec_block(t.child(parts[i], 2), f, taken);
    for (std::size_t s = 0; s < merged.size(); ++s) merged[s] = l_.merge(merged[s], out, f.slots[s], after);
    out |= after;
    left = fails;
  }
  for (std::size_t s = 0; s < merged.size(); ++s) merged[s] = l_.merge(merged[s], out, before[s], left);
  f.slots = std::move(merged);
  return out | left;
}

Outcome Interpreter::match_pattern(NodeId pattern, Lifted subject, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  const Node& n = t[pattern];
  switch (n.kind) {
    case NodeKind::pattern_any:
      if (!n.name.empty()) assign_name(n.name, subject, f, mask);
      return {mask, {}, {}};
    case NodeKind::pattern_value: {
      Lifted value = eval(t.child(pattern, 0), f, mask);
      return l_.truth(compare_lifted(value::Comparison::eq, subject, value)).on(mask);
    }
    case NodeKind::pattern_or: {
      Outcome out{{}, mask, {}};
      for (NodeId option : t.children(pattern)) {
        Outcome fits = match_pattern(option, subject, f, mask);
        out = {out.may_true | fits.may_true, out.may_false & fits.may_fail(), (out.may_unknown | fits.may_unknown)};
      }
      return out;
    }
    case NodeKind::pattern_sequence: {
      auto parts = t.children(pattern);
      DeviceSet fits = mask & l_.where(subject, [&](ValueId v) {
        bool sequence = s_.kind(v) == Kind::tuple || s_.kind(v) == Kind::list || s_.kind(v) == Kind::record;
        return sequence && !s_.node(v).open && s_.items(v).size() == parts.size();
      });
      DeviceSet open = mask & l_.where(subject, [&](ValueId v) { return s_.may_be_unknown(v) || s_.node(v).open; });
      Outcome out{fits, mask - fits - open, open};
      for (std::size_t i = 0; i < parts.size(); ++i) {
        Outcome part = match_pattern(parts[i], item_at(subject, i), f, fits);
        DeviceSet fails = part.may_false & fits;
        out.may_false |= fails;
        out.may_unknown |= part.may_unknown & fits;
        out.may_true &= part.may_true;
      }
      return out;
    }
    default: return {{}, {}, mask};
  }
}

}  // namespace ungate::python
