// Functions, lambdas, closures and callables as values; names that turned out device-dependent.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {

FunctionId Interpreter::function_of(ModuleId module, const Tree& tree, NodeId node, ClassId klass, Symbol outer) {
  auto [entry, fresh] = function_index_.try_emplace(key_of(&tree, node), static_cast<FunctionId>(functions_.size()));
  if (!fresh) return entry->second;
  Function fn;
  fn.module = module;
  fn.tree = &tree;
  fn.node = node;
  fn.klass = klass;
  const Node& n = tree[node];
  std::string name = n.kind == NodeKind::lambda ? "<lambda>" : std::string(n.name.text());
  fn.qualname = outer.empty() ? Symbol(name) : Symbol(std::string(outer.text()) + '.' + name);
  std::string_view text = p_[module].file->text(n.range);
  fn.lines = static_cast<std::uint32_t>(std::ranges::count(text, '\n')) + 1;
  for (std::size_t i = 3; n.kind == NodeKind::function && i < n.count; ++i) {
    NodeId decorator = tree.child(node, i);
    if (tree[decorator].kind == NodeKind::call) decorator = tree.child(decorator, 0);
    std::string_view d = tree[decorator].name.text();
    if (d == "staticmethod") fn.binding = Function::Binding::static_;
    else if (d == "classmethod") fn.binding = Function::Binding::klass;
    else if (d == "property" || d == "cached_property" || d == "functools_cached_property") fn.binding = Function::Binding::property;
    else if (d == "abstractmethod") fn.abstract = true;
  }
  if (n.kind == NodeKind::function) fn.abstract = fn.abstract || is_stub(tree, fn.body());
  functions_.push_back(std::move(fn));
  ++statistics.functions;
  return entry->second;
}

// A body that is only a docstring, `...`, `pass` or `raise NotImplementedError`.
bool Interpreter::is_stub(const Tree& t, NodeId body) const {
  for (NodeId statement : t.children(body)) {
    const Node& n = t[statement];
    NodeId value = t.child(statement, 0);
    if (n.kind == NodeKind::pass) continue;
    if (n.kind == NodeKind::expression && t[value].kind == NodeKind::constant) continue;
    if (n.kind == NodeKind::raise && value != 0) {
      NodeId callee = t[value].kind == NodeKind::call ? t.child(value, 0) : value;
      if (t[callee].name.text() == "NotImplementedError") continue;
    }
    return false;
  }
  return true;
}

ClosureId Interpreter::capture(const Frame& f, const Scope& inner) {
  Closure closure;
  if (f.function != kNoIndex) {
    const auto& slots = scope_of(f).slots;
    for (Symbol name : inner.free) {
      auto local = std::ranges::find(slots, name);
      if (local != slots.end()) {
        Lifted value = f.slots[static_cast<std::size_t>(local - slots.begin())];
        if (value != Lifted()) closure.emplace_back(name, value);
        continue;
      }
      for (const auto& [captured, value] : closures_[f.closure]) {
        if (captured == name) closure.emplace_back(name, value);
      }
    }
  }
  return intern_closure(std::move(closure));
}

ClosureId Interpreter::intern_closure(Closure closure) {
  if (closure.empty()) return 0;
  auto [entry, fresh] = closure_index_.try_emplace(closure, static_cast<ClosureId>(closures_.size()));
  if (fresh) closures_.push_back(std::move(closure));
  return entry->second;
}

// A `def` or a lambda, as a value.
Lifted Interpreter::define_function(NodeId id, Frame& f) {
  const Tree& t = *f.tree;
  bool method = f.class_body && t[id].kind == NodeKind::function;
  Symbol outer = f.function != kNoIndex ? functions_[f.function].qualname
                 : method ? classes_[f.klass].name : Symbol();
  Callable callable;
  callable.function = function_of(f.module, t, id, method ? f.klass : kNoIndex, outer);
  callable.closure = capture(f, functions_[callable.function].scope());
  for (NodeId param : t.children(t.child(id, 0))) {
    NodeId value = t.child(param, 0);
    callable.defaults.push_back(value == 0 ? Lifted() : operand(value, f, value::Values::all()));
  }
  if (t[id].kind == NodeKind::function) {
    for (std::size_t i = 3; i < t[id].count; ++i) record_decorator(t.child(id, i), f);
    if (f.emit && !f.class_body) inner_runs_.push_back({callable.function, callable.closure});
  }
  return l_.of(s_.handle(Kind::function, intern_callable(std::move(callable))));
}

CallableId Interpreter::intern_callable(Callable callable) {
  std::vector<std::uint32_t> key{callable.function, callable.closure, callable.receiver ? callable.receiver->id + 1 : 0};
  key.push_back(static_cast<std::uint32_t>(callable.bound.size()));
  for (Lifted v : callable.bound) key.push_back(v.id);
  for (const auto& [name, v] : callable.keywords) key.push_back(name.id()), key.push_back(v.id);
  key.push_back(0xfffffffe);
  for (Lifted v : callable.defaults) key.push_back(v.id);
  auto [entry, fresh] = callable_index_.try_emplace(std::move(key), static_cast<CallableId>(callables_.size()));
  if (fresh) callables_.push_back(std::move(callable));
  return entry->second;
}

void Interpreter::derive(Symbol name) {
  if (name.text().size() < 5 || k_.common.contains(name)) return;
  if (known_names_.insert(name).second) derived_.push_back(name);
}

// A partial application or lambda that, called without arguments, gives another answer on some device.
bool Interpreter::answers_by_device(Lifted function, Frame& f) {
  if (!l_.uniform(function) || s_.kind(l_.value(function)) != Kind::function) return false;
  const Callable& callable = callables_[s_.node(l_.value(function)).ref];
  bool partial = !callable.bound.empty() || !callable.keywords.empty() || functions_[callable.function].is_lambda();
  return partial && depends_on_device(call(function, {}, f, value::Values::all()));
}

std::vector<Symbol> Interpreter::take_derived_names() { return std::exchange(derived_, {}); }

void Interpreter::problem(const Frame& f, source::Range range, std::string what) {
  problems.push_back({{f.module, range}, std::move(what)});
}

void Interpreter::note_errors(ModuleId module, const Tree& tree) {
  if (!tree.has_errors || !reported_.insert(&tree).second) return;
  problems.push_back({{module, tree[tree.root].range}, "partly read: the grammar does not know some of the text"});
}

}  // namespace ungate::python
