// Functions, lambdas, closures and callables as values; names that turned out device-dependent.
#include <algorithm>

#include "base/text.h"
#include "python/interpreter.h"
#include "python/parse.h"

namespace ungate::python {

// A function that stands in a tree: an inner function, or one in a branch.
FunctionId Interpreter::function_of(ModuleId module, const Tree& tree, NodeId node, ClassId klass, Symbol outer) {
  auto [entry, fresh] = function_index_.try_emplace(key_of(&tree, node), static_cast<FunctionId>(functions_.size()));
  if (!fresh) return entry->second;
  const Node& n = tree[node];
  Function fn;
  fn.module = module;
  fn.tree = &tree;
  fn.node = node;
  fn.range = n.range;
  fn.klass = klass;
  fn.name = n.kind == NodeKind::lambda ? Symbol("<lambda>") : n.name;
  fn.qualname = outer.empty() ? fn.name : Symbol(std::string(outer.text()) + '.' + std::string(fn.name.text()));
  std::string_view text = p_[module].file->text();
  fn.lines = static_cast<std::uint32_t>(std::ranges::count(text.substr(n.range.begin, n.range.size()), '\n')) + 1;
  for (std::size_t i = 3; n.kind == NodeKind::function && i < n.count; ++i) {
    source::Range range = tree[tree.child(node, i)].range;
    note_binding(fn, text.substr(range.begin, range.size()));
  }
  if (n.kind == NodeKind::function) fn.abstract = fn.abstract || is_stub(tree, fn.body());
  functions_.push_back(std::move(fn));
  ++statistics.functions;
  return entry->second;
}

// A function that is a statement of a module or class.
FunctionId Interpreter::function_at(ModuleId module, const Statement& statement, ClassId klass) {
  auto [entry, fresh] = statement_functions_.try_emplace({module, statement.range.begin}, static_cast<FunctionId>(functions_.size()));
  if (!fresh) return entry->second;
  const Module& m = p_[module];
  Function fn;
  fn.module = module;
  fn.range = statement.range;
  fn.klass = klass;
  fn.name = statement.name;
  fn.qualname = klass == kNoIndex ? fn.name : Symbol(std::string(classes_[klass].name.text()) + '.' + std::string(fn.name.text()));
  std::string_view text = m.file->text();
  fn.lines = m.file->position(statement.range.end).line - m.file->position(statement.range.begin).line + 1;
  for (std::uint32_t i = statement.first; i < statement.head; ++i) {
    const LogicalLine& line = m.outline->lines()[i];
    note_binding(fn, text.substr(line.begin + 1, line.end - line.begin - 1));
  }
  functions_.push_back(std::move(fn));
  ++statistics.functions;
  return entry->second;
}

void Interpreter::note_binding(Function& fn, std::string_view decorator) const {
  decorator = text::trim(decorator.substr(0, decorator.find('(')));
  std::string_view name = decorator.substr(decorator.rfind('.') + 1);
  if (name == "staticmethod") fn.binding = Function::Binding::static_;
  else if (name == "classmethod") fn.binding = Function::Binding::klass;
  else if (name == "property" || name == "cached_property") fn.binding = Function::Binding::property;
  else if (name == "setter" || name == "deleter") fn.binding = Function::Binding::setter;
  else if (name == "abstractmethod") fn.abstract = true;
}

// The function with its tree.
const Function& Interpreter::read(FunctionId id) {
  Function& fn = functions_[id];
  if (fn.tree != nullptr) return fn;
  const Tree& t = p_.parse_range(fn.module, fn.range);
  note_errors(fn.module, t);
  fn.tree = &t;
  for (NodeId node : t.children(t.root)) {
    if (t[node].kind == NodeKind::function) fn.node = node;
  }
  if (fn.node == 0) {
    // What was cut out as a function does not parse as one: nothing is known of it.
    static const Tree kNothing = parse("def nothing(*a, **k): ...", {0, 25});
    fn.tree = &kNothing;
    fn.node = kNothing.child(kNothing.root, 0);
  }
  fn.abstract = fn.abstract || is_stub(*fn.tree, fn.body());
  return fn;
}

// Where a definition stands: its defaults and decorators are evaluated there.
Frame Interpreter::definition_frame(const Function& fn) const {
  Frame f;
  f.module = fn.module;
  f.tree = fn.tree;
  f.klass = fn.klass;
  f.class_body = fn.klass != kNoIndex;
  f.slots.resize(scope_of(f).slots.size());
  return f;
}

// A parameter's default, evaluated where the function stands.
Lifted Interpreter::default_of(FunctionId id, std::size_t param) {
  const Function& fn = read(id);
  const Tree& t = *fn.tree;
  auto params = t.children(fn.params());
  Function& keep = functions_[id];
  if (keep.defaults.size() < params.size()) keep.defaults.resize(params.size());
  NodeId value = t.child(params[param], 0);
  if (value == 0 || keep.defaults[param] != Lifted()) return keep.defaults[param];
  Frame f = definition_frame(fn);
  return keep.defaults[param] = eval(value, f, value::Values::all());
}

// Running a callee is worth its cost if the outcome may depend on the device, or if it is tiny.
bool Interpreter::worth_running(const Function& fn, std::span<const Lifted> slots) {
  if (fn.lines <= kTiny) return true;
  if (fn.lines > kLong) return false;
  return fn.mention || std::ranges::any_of(slots, [&](Lifted v) { return !l_.uniform(v); });
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
  callable.closure = capture(f, read(callable.function).scope());
  for (NodeId param : t.children(t.child(id, 0))) {
    NodeId value = t.child(param, 0);
    callable.defaults.push_back(value == 0 ? Lifted() : operand(value, f, value::Values::all()));
  }
  if (t[id].kind == NodeKind::function) {
    for (std::size_t i = 3; i < t[id].count; ++i) {
      if (f.emit) record_requirements(t.child(id, i), f, t[id].name);
      record_decorator(t.child(id, i), t[id].name, f);
    }
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

std::optional<Place> Interpreter::definition_of(Lifted value) const {
  std::optional<Place> out;
  l_.each(value, [&](DeviceSet, ValueId v) {
    s_.each(v, [&](ValueId x) {
      if (s_.kind(x) != Kind::function || out) return;
      const Function& fn = functions_[callables_[s_.node(x).ref].function];
      out = Place{fn.module, fn.range};
    });
  });
  return out;
}

Lifted Interpreter::static_attribute(Lifted base, Symbol name) {
  Lifted out;
  l_.each(base, [&](DeviceSet, ValueId v) {
    s_.each(v, [&](ValueId x) {
      Lifted found;
      if (s_.kind(x) == Kind::module) found = module_attribute(s_.node(x).ref, name);
      else if (ClassId klass = class_of(x); klass != kNoIndex) class_attribute(klass, name, found);
      out = l_.join(out, found);
    });
  });
  return out;
}

Lifted Interpreter::import_in(ModuleId module, source::Range statement, Symbol name) {
  const Tree& t = p_.parse_range(module, statement);
  for (NodeId s : t.children(t.root)) {
    for (NodeId alias : t.children(s)) {
      if (t[alias].kind == NodeKind::alias && t.symbols[t[alias].number] == name) return import_alias(t, s, alias, module);
    }
  }
  return {};
}

// A name to look for in the next round; false where it is too common or short to be followed.
bool Interpreter::derive(Symbol name, Derived::As as, ModuleId module) {
  std::string_view text = name.text();
  bool constant = text.size() >= kShortestConstant && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
  if ((text.size() < 5 && !constant) || k_.common.contains(name)) return false;
  Derived derived{name, as, p_.package(module)};
  if (known_.contains({name, Derived::As::name, derived.package}) || !known_.insert(derived).second) return true;
  known_names_.insert(name);
  derived_.push_back(derived);
  return true;
}

// A partial application or lambda that, called without arguments, gives another answer on some device.
bool Interpreter::answers_by_device(Lifted function, Frame& f) {
  if (!l_.uniform(function) || s_.kind(l_.value(function)) != Kind::function) return false;
  const Callable& callable = callables_[s_.node(l_.value(function)).ref];
  bool partial = !callable.bound.empty() || !callable.keywords.empty() || functions_[callable.function].name.text() == "<lambda>";
  return partial && depends_on_device(call(function, {}, f, value::Values::all()));
}

std::vector<Derived> Interpreter::take_derived_names() { return std::exchange(derived_, {}); }

void Interpreter::problem(const Frame& f, source::Range range, std::string what) {
  problems.push_back({{f.module, range}, std::move(what)});
}

void Interpreter::note_errors(ModuleId module, const Tree& tree) {
  if (!tree.has_errors || !reported_.insert(&tree).second) return;
  problems.push_back({{module, tree[tree.root].range}, "partly read: the grammar does not know some of the text"});
}

}  // namespace ungate::python
