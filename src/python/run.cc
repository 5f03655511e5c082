// Runs of functions, and what is run: everything that mentions a word looked for, round by round.
//
//   generic run    every parameter unknown; records choices. Once a function and round.
//   value run      the real arguments, memoised by them; records nothing.
//   emitting run   the device-dependent arguments of a call, everything else unknown; records choices, so
//                  that constants of one call site do not decide for all.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {

Interpreter::Interpreter(Program& program, const Knowledge& knowledge, const value::World& world)
    : p_(program), k_(knowledge), w_(world), l_(s_) {
  fuel_ = kFuel;
  closures_.push_back({});
  classes_.push_back({});  // kSomething
}

void Interpreter::start_round(const WordSet& words, const WordSet& fresh) {
  words_ = &words;
  fresh_ = &fresh;
  ++round_;
  // What a field may hold was looked up when fewer words were looked for.
  for (ClassId c = 0; c < classes_.size(); ++c) {
    classes_[c].cells.clear();
    classes_[c].stored.clear();
  }
  written_.clear();
}

// True if a function's text holds a word that is looked for.
bool Interpreter::mentions_derived(FunctionId id) {
  Function& fn = functions_[id];
  if (words_ == nullptr || fn.mention || fn.mention_round == round_) return fn.mention;
  fn.mention_round = round_;
  return fn.mention = mentions(p_[fn.module].file->text(), fn.range, *words_);
}

void Interpreter::run_inner() {
  while (!inner_runs_.empty()) {
    auto [function, closure] = inner_runs_.back();
    inner_runs_.pop_back();
    if (mentions_derived(function)) run_generic(function, closure);
  }
}

// Runs what Program::prepare found.
void Interpreter::run_module(ModuleId id) {
  const Module& m = p_.load(id);
  for (std::uint32_t i = 0; i < m.pieces.size(); ++i) {
    const Statement& statement = m.pieces[i].statement;
    if (!m.mentioned.contains(statement.range.begin)) continue;
    fuel_ = statistics.expressions + kFuel;
    if (statement.kind == LineKind::klass) {
      run_class(class_of_piece(id, i));
    } else if (statement.kind == LineKind::function) {
      run_generic(function_at(id, statement, kNoIndex), 0);
    } else {
      run_piece(id, i);
    }
    run_inner();
  }
  derive_answers(id);
}

void Interpreter::run_class(ClassId klass) {
  const Module& m = p_[classes_[klass].module];
  for (std::uint32_t i = 0; i < classes_[klass].members.size(); ++i) {
    Klass::Member member = classes_[klass].members[i];
    if (!m.mentioned.contains(member.range.begin)) continue;
    fuel_ = statistics.expressions + kFuel;
    run_member(klass, i);
    if (member.kind == LineKind::function) run_generic(method_at(klass, i), 0);
    run_inner();
  }
  run_inherited(klass);
  run_bounds(klass);
}

// A class that overrides a method with one that answers by the device makes every inherited method that
// asks for it a name to follow. (What they answer depends on arguments, so running them would not tell.)
void Interpreter::run_inherited(ClassId klass) {
  if (words_ == nullptr || classes_[klass].mro.size() < 2) return;
  WordSet overridden;
  for (std::uint32_t i = 0; i < classes_[klass].members.size(); ++i) {
    const Klass::Member member = classes_[klass].members[i];
    bool method = member.kind == LineKind::function && member.tree == nullptr;
    WordHash word = hash_word(member.statement.name.text());
    if (!method || !(words_->has(word) || words_->has(as_attribute(word)))) continue;
    FunctionId function = method_at(klass, i);
    bool of_class = read(function).binding == Function::Binding::klass;
    ValueId self = of_class ? s_.handle(Kind::klass, klass) : s_.object(klass, {}, true);
    if (depends_on_device(run_for_receiver(function, l_.of(self)).answer)) overridden.add_attribute(member.statement.name.text());
  }
  if (overridden.empty()) return;
  const std::vector<ClassId> mro = classes_[klass].mro;
  for (std::size_t c = 1; c < mro.size(); ++c) {
    for (std::uint32_t i = 0; i < classes_[mro[c]].members.size(); ++i) {
      const Klass::Member member = classes_[mro[c]].members[i];
      bool inherited = member.kind == LineKind::function && member.tree == nullptr && !classes_[klass].binders.contains(member.statement.name);
      if (!inherited) continue;
      const Function& fn = functions_[method_at(mro[c], i)];
      if (mentions(p_[fn.module].file->text(), fn.range, overridden)) derive(member.statement.name, Derived::As::attribute, fn.module);
    }
  }
}

// Runs a body; returns what it returns, absent (with the exception) where it raises.
Lifted Interpreter::run(const Callable& callable, const std::vector<Lifted>& slots, bool emit, Lifted* receiver_after) {
  const Function& fn = read(callable.function);
  ++statistics.runs;
  ++depth_;
  Frame f;
  f.module = fn.module;
  f.tree = fn.tree;
  f.function = callable.function;
  f.klass = fn.klass;
  f.closure = callable.closure;
  f.receiver = callable.receiver;
  f.slots = slots;
  f.scope = (*fn.tree)[fn.node].number;
  f.emit = emit;
  DeviceSet all = value::Values::all();
  if (fn.is_lambda()) {
    f.position = Choice::Position::returned;
    f.returned = eval(fn.body(), f, all);
    f.raised = f.pending;
  } else {
    DeviceSet alive = exec_block(fn.body(), f, all);
    Lifted none = l_.of(s_.none());
    f.returned = l_.merge(f.returned, DeviceSet(~0ull) - l_.absent(f.returned), none, alive);
  }
  if (receiver_after != nullptr && !f.slots.empty()) *receiver_after = f.slots[0];
  --depth_;
  compares_open_ = f.compares_open;
  // Who left early was told where it left; the answer only repeats it.
  bool repeats = f.asks_exits && !f.asks_own;
  answers_chosen_ = (f.returns_chosen || repeats) && !f.returns_own;
  DeviceSet gone = l_.absent(f.returned);
  if (gone.empty() || f.raised.empty()) return f.returned;
  return l_.overlay(f.returned, gone, l_.of(s_.raised(f.raise_type, f.raise_text)));
}

void Interpreter::emit_context(const Callable& callable, const std::vector<Lifted>& slots) {
  Function& fn = functions_[callable.function];
  if (fn.lines > kLong) return;
  std::vector<std::uint32_t> key{callable.closure};
  std::vector<Lifted> open = slots;
  const Tree& t = *fn.tree;
  auto params = t.children(fn.params());
  for (std::size_t i = 0; i < open.size(); ++i) {
    bool self = i == 0 && callable.receiver;
    if (l_.uniform(open[i]) && i < params.size() && !self) open[i] = unknown(Free_::argument, t[params[i]].name.text());
    key.push_back(l_.uniform(open[i]) && !self ? 0 : open[i].id);
  }
  if (fn.contexts.size() >= kContexts || std::ranges::find(fn.contexts, key) != fn.contexts.end()) return;
  fn.contexts.push_back(key);
  if (depth_ < kDepth) run(callable, open, true);
}

// A method run for what it leaves in its receiver.
Interpreter::Received Interpreter::run_for_receiver(FunctionId function, Lifted self) {
  const Function& fn = read(function);
  if (depth_ >= kDepth) return {self, {}};
  Callable callable;
  callable.function = function;
  callable.receiver = self;
  const Tree& t = *fn.tree;
  std::vector<Lifted> slots(fn.scope().slots.size());
  auto params = t.children(fn.params());
  if (params.empty()) return {self, {}};
  slots[0] = self;
  for (std::size_t i = 1; i < params.size(); ++i) slots[i] = unknown(Free_::argument, t[params[i]].name.text());
  Lifted after = self;
  Lifted answer = run(callable, slots, false, &after);
  return {after, answer};
}

}  // namespace ungate::python
