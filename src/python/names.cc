// Names: locals, closures, module globals bound when asked for, imports, builtins.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {

Lifted Interpreter::name(NodeId id, Frame& f, DeviceSet mask) {
  const Node& n = (*f.tree)[id];
  if (n.number != 0) {
    Lifted value = f.slots[n.number - 1];
    DeviceSet unbound = l_.absent(value) & mask;
    if (unbound.empty()) {
      if (f.via != nullptr && !f.origins.empty() && !f.origins[n.number - 1].range.empty()) {
        f.via->push_back(f.origins[n.number - 1]);
      }
      return value;
    }
    // At module level a name of this statement may be bound by an earlier one.
    if (f.function != kNoIndex) return value;
    Lifted outer = f.class_body ? class_name(n.name, f) : global_from(f, n.name);
    return l_.overlay(value, unbound, outer);
  }
  for (const auto& [captured, value] : closures_[f.closure]) {
    if (captured == n.name) return value;
  }
  if (f.class_body) return class_name(n.name, f);
  return global_from(f, n.name);
}

// A name as a class body sees it: what the class has bound so far, then the module.
Lifted Interpreter::class_name(Symbol name, Frame& f) {
  Klass& k = classes_[f.klass];
  if (auto found = k.attributes.find(name); found != k.attributes.end()) return found->second;
  if (k.binders.contains(name) && !k.pending.contains(name)) {
    if (Lifted value; class_attribute(f.klass, name, value)) return value;
  }
  return global_from(f, name);
}

Lifted Interpreter::global_from(Frame& f, Symbol name) {
  Lifted value = global_at(f, name);
  if (f.via != nullptr && !l_.uniform(value)) {
    const Module& m = p_[f.module];
    if (auto bound = m.binders.find(name); bound != m.binders.end()) {
      f.via->push_back({f.module, m.pieces[bound->second.back()].statement.range});
    }
  }
  return value;
}

// A module's own statements see what was bound before them, not what the name means in the end.
Lifted Interpreter::global_at(const Frame& f, Symbol name) {
  if (f.piece != kNoIndex) {
    const Module& m = p_.load(f.module);
    auto binders = m.binders.find(name);
    if (binders != m.binders.end() && binders->second.size() > 1 && binders->second.back() >= f.piece) {
      Lifted before = bound_before(f.module, f.piece, name);
      if (l_.absent(before) != value::Values::all()) return before;
    }
  }
  Lifted value = global(f.module, name);
  auto rebound = p_[f.module].rebound.empty() || f.function == kNoIndex ? rebound_.end() : rebound_.find({f.module, name});
  if (rebound == rebound_.end() || std::ranges::find(f.set, name) != f.set.end()) return value;
  // Who sets it finds it as it was, until then.
  const source::Range here = functions_[f.function].range;
  bool sets = std::ranges::any_of(p_[f.module].rebound.at(name), [&](std::uint32_t at) { return here.begin <= at && at < here.end; });
  return sets ? l_.join(rebound->second.first, value) : value;
}

Lifted Interpreter::global(ModuleId id, Symbol name) {
  auto& known = globals_[id];
  if (auto found = known.find(name); found != known.end() && !pending_globals_.contains({id, name})) {
    if (p_[id].rebound.empty()) return found->second;
    auto rebound = rebound_.find({id, name});
    if (rebound == rebound_.end() || rebound->second.second == round_) return found->second;
    // More is known to depend on the device since.
    rebound->second.second = round_;
    Lifted again = with_rebound(id, name, rebound->second.first);
    return globals_[id][name] = again;
  }
  if (!pending_globals_.insert({id, name}).second) {
    // Asked for while it is being bound.
    auto partial = known.find(name);
    return partial != known.end() ? partial->second : unknown(Free_::name, name.text());
  }
  Lifted value = bind_global(id, name);
  if (l_.uniform(value)) value = l_.of(s_.lift(l_.value(value), [&](ValueId x) { return unsettled(x); }));
  if (p_[id].rebound.contains(name)) value = rebind(id, name, value);
  globals_[id][name] = value;
  pending_globals_.erase({id, name});
  return value;
}

// What a statement of the module bound a name to that functions declare `global`: as they leave it.
Lifted Interpreter::rebind(ModuleId id, Symbol name, Lifted initial) {
  rebound_[{id, name}] = {initial, round_};
  globals_[id][name] = l_.join(initial, unknown(Free_::config, name.text()));   // while the writers run
  return with_rebound(id, name, initial);
}

// An object of a module is shared: what is None in it, whatever the device, is there to be set by somebody.
ValueId Interpreter::unsettled(ValueId v) {
  if (s_.kind(v) != Kind::object) return v;
  ValueId out = v;
  auto fields = s_.items(v);
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    Symbol name = s_.node(fields[i]).name;
    bool none = s_.kind(fields[i + 1]) == Kind::none;
    ValueId open = none ? s_.join(fields[i + 1], s_.unknown({Free_::config, Symbol(attribute_name(s_.node(v).ref, name))}))
                        : unsettled(fields[i + 1]);
    if (open != fields[i + 1]) out = s_.with_field(out, name, open);
  }
  return out;
}

Lifted Interpreter::bind_global(ModuleId id, Symbol name) {
  Module& m = p_.load(id);
  if (m.file == nullptr) return unknown(Free_::unread, m.path);
  if (Lifted made; made_object(id, name, made)) return made;
  if (auto bound = m.binders.find(name); bound != m.binders.end()) {
    // Declared for type checkers only: the module's __getattr__ answers.
    static const Symbol kGetattr("__getattr__");
    bool declared = m.binders.contains(kGetattr) && std::ranges::all_of(bound->second, [&](std::uint32_t piece) {
      const Statement& s = m.pieces[piece].statement;
      std::string_view text = m.file->text(s.range);
      return s.kind == LineKind::compound && (text.starts_with("if TYPE_CHECKING:") || text.starts_with("if typing.TYPE_CHECKING:"));
    });
    if (declared) return unknown(Free_::config, name.text());
    Lifted value;
    for (std::uint32_t piece : bound->second) {
      Lifted here = bind_piece(id, piece, name);
      value = l_.overlay(here, l_.absent(here), value);
      globals_[id][name] = value;  // what is seen of it while it is being bound
    }
    if (l_.absent(value) != value::Values::all()) return value;
    // Bound only where nothing reaches: a handler, an excluded platform.
    return unknown(Free_::name, name.text());
  }
  for (const auto& [piece, module] : m.star_imports) {
    auto from = find_module(p_.absolute(id, module.text()));
    if (from && *from != id && exports(*from, name)) return global(*from, name);
  }
  static const Symbol kFile("__file__"), kName("__name__");
  if (name == kFile) return l_.of(s_.path(Symbol(m.path)));
  if (name == kName) return l_.of(s_.string(m.name));
  if (m.is_package) {
    Symbol dotted(std::string(m.name.text()) + '.' + std::string(name.text()));
    if (find_module(dotted)) return l_.of(module_value(dotted));
  }
  return l_.of(builtin_name(name));
}

std::unordered_set<Symbol> Interpreter::made_names() const {
  std::unordered_set<Symbol> out;
  for (const auto& [dotted, object] : k_.objects) out.insert(Symbol(dotted.text().substr(dotted.text().rfind('.') + 1)));
  return out;
}

// The class of what a package makes when it starts (a registry, a module's __getattr__), by the rules. A rule whose
// name begins with `*.` holds in every package.
std::optional<Symbol> Interpreter::made_class(ModuleId id, Symbol name) const {
  std::string module(p_[id].name.text());
  if (auto rule = k_.objects.find(Symbol(module + '.' + std::string(name.text()))); rule != k_.objects.end()) return rule->second;
  std::size_t dot = module.rfind('.');
  if (dot == std::string::npos) return {};
  auto rule = k_.objects.find(Symbol("*" + module.substr(dot) + '.' + std::string(name.text())));
  if (rule == k_.objects.end()) return {};
  return Symbol(module.substr(0, dot) + std::string(rule->second.text().substr(1)));
}

bool Interpreter::made_object(ModuleId id, Symbol name, Lifted& out) {
  if (k_.objects.empty()) return false;
  auto made = made_class(id, name);
  if (!made) return false;
  std::string_view dotted = made->text();
  auto module = find_module(Symbol(dotted.substr(0, dotted.rfind('.'))));
  if (!module) return false;
  Lifted klass = global(*module, Symbol(dotted.substr(dotted.rfind('.') + 1)));
  out = l_.map(klass, [&](ValueId v) {
    return s_.lift(v, [&](ValueId k) {
      return s_.kind(k) == Kind::klass ? s_.object(s_.node(k).ref, {}, true) : s_.unknown({Free_::name, *made});
    });
  });
  return true;
}

// True if a module binds the name itself, directly or through a star import.
bool Interpreter::exports(ModuleId id, Symbol name, int depth) {
  Module& m = p_.load(id);
  if (m.binders.contains(name)) return true;
  if (depth > 4) return false;
  for (const auto& [piece, module] : m.star_imports) {
    auto from = find_module(p_.absolute(id, module.text()));
    if (from && *from != id && exports(*from, name, depth + 1)) return true;
  }
  return false;
}

// What one top-level statement binds to a name. Imports bind that name only; other statements run whole,
// once, and leave all their names in the module's globals.
Lifted Interpreter::bind_piece(ModuleId id, std::uint32_t index, Symbol name) {
  Module& m = p_[id];
  Piece& piece = m.pieces[index];
  if (piece.statement.kind == LineKind::klass) {
    return l_.of(s_.handle(Kind::klass, class_of_piece(id, index)));
  }
  if (piece.statement.kind == LineKind::function) {
    Callable callable;
    callable.function = function_at(id, piece.statement, kNoIndex);
    return l_.of(s_.handle(Kind::function, intern_callable(std::move(callable))));
  }
  const Tree& t = p_.tree(id, index);
  if (piece.statement.kind == LineKind::import) {
    for (NodeId statement : t.children(t.root)) {
      for (NodeId alias : t.children(statement)) {
        if (t[alias].kind == NodeKind::alias && t.symbols[t[alias].number] == name) {
          return import_alias(t, statement, alias, id);
        }
      }
    }
    return {};
  }
  run_piece(id, index);
  for (const auto& [bound, value] : piece_globals_[{id, index}]) {
    if (bound == name) return value;
  }
  auto found = globals_[id].find(name);
  return found == globals_[id].end() ? Lifted() : found->second;
}

// What earlier statements bound to a name that this one binds: `X += [...]` and `X["k"] = ...` extend it, and
// `if ...: X = ...` leaves it elsewhere.
Lifted Interpreter::bound_before(ModuleId id, std::uint32_t index, Symbol name) {
  const Module& m = p_[id];
  auto binders = m.binders.find(name);
  Lifted value;
  if (binders == m.binders.end()) return value;
  for (std::uint32_t piece : binders->second) {
    if (piece >= index) break;
    Lifted here = bind_piece(id, piece, name);
    value = l_.overlay(here, l_.absent(here), value);
  }
  return value;
}

void Interpreter::run_piece(ModuleId id, std::uint32_t index) {
  if (!pieces_run_.insert({id, index}).second) {
    // Functions that it defines may ask what is known to depend on the device since.
    auto defined = piece_functions_.find({id, index});
    if (defined != piece_functions_.end()) inner_runs_.insert(inner_runs_.end(), defined->second.begin(), defined->second.end());
    return;
  }
  ++statistics.runs;
  const Tree& t = p_.tree(id, index);
  note_errors(id, t);
  Frame f;
  f.module = id;
  f.tree = &t;
  f.piece = index;
  f.emit = true;
  f.slots.resize(t.scopes[0].slots.size());
  for (std::size_t i = 0; i < f.slots.size(); ++i) f.slots[i] = bound_before(id, index, t.scopes[0].slots[i]);
  std::size_t fuel = std::exchange(fuel_, statistics.expressions + kFuel);
  std::size_t waiting = inner_runs_.size();
  exec_block(t.root, f, value::Values::all());
  fuel_ = fuel;
  if (inner_runs_.size() > waiting) piece_functions_[{id, index}].assign(inner_runs_.begin() + static_cast<std::ptrdiff_t>(waiting), inner_runs_.end());
  for (std::size_t i = 0; i < f.slots.size(); ++i) {
    if (f.slots[i] == Lifted()) continue;
    Symbol bound = t.scopes[0].slots[i];
    globals_[id][bound] = f.slots[i];
    bool settled = p_[id].rebound.contains(bound) && !pending_globals_.contains({id, bound});
    if (settled) globals_[id][bound] = rebind(id, bound, f.slots[i]);
    auto binders = p_[id].binders.find(bound);
    if (binders != p_[id].binders.end() && binders->second.size() > 1) piece_globals_[{id, index}].emplace_back(bound, f.slots[i]);
    if (depends_on_device(f.slots[i]) || answers_by_device(f.slots[i], f)) derive(bound, Derived::As::name, id);
  }
}

// --- Imports ---------------------------------------------------------------------------------------

std::optional<ModuleId> Interpreter::find_module(Symbol dotted) const {
  std::string_view top = dotted.text().substr(0, dotted.text().find('.'));
  if (k_.opaque.contains(Symbol(top))) return std::nullopt;
  return p_.find(dotted);
}

ValueId Interpreter::module_value(Symbol dotted) {
  if (auto found = find_module(dotted)) return s_.handle(Kind::module, *found);
  return s_.external(dotted);
}

Lifted Interpreter::import_alias(const Tree& t, NodeId statement, NodeId alias, ModuleId from) {
  const Node& n = t[statement];
  Symbol imported = t[alias].name, local = t.symbols[t[alias].number];
  if (n.kind == NodeKind::import) {
    // `import a.b` binds a; `import a.b as c` binds a.b.
    std::string_view top = imported.text().substr(0, imported.text().find('.'));
    return l_.of(module_value(local.text() == top ? local : imported));
  }
  Symbol module = p_.absolute(from, n.name.text());
  std::string member = std::string(module.text()) + '.' + std::string(imported.text());
  if (k_.calls.contains(Symbol(member)) || k_.constants.contains(Symbol(member))) return l_.of(s_.external(Symbol(member)));
  if (auto found = find_module(module)) {
    // `from . import env` in the package itself means the module env, not the name that is being bound.
    bool submodule = find_module(Symbol(member)) && (*found == from || !exports(*found, imported));
    if (!submodule) return global(*found, imported);
  }
  return l_.of(module_value(Symbol(member)));
}

// --- Builtins --------------------------------------------------------------------------------------

ValueId Interpreter::builtin_name(Symbol name) {
  static constexpr std::string_view kBuiltins[] = {
      "len", "any", "all", "int", "str", "bool", "float", "tuple", "list", "set", "frozenset", "dict",
      "sorted", "range", "map", "filter", "zip", "enumerate", "isinstance", "issubclass", "hasattr",
      "getattr", "setattr", "min", "max", "sum", "abs", "type", "print", "super", "next", "iter",
      "reversed", "repr", "callable", "id", "open", "round", "hash", "divmod", "ord", "chr", "vars",
      "object", "property", "staticmethod", "classmethod", "bytes", "slice", "delattr", "format"};
  if (std::ranges::find(kBuiltins, name.text()) != std::end(kBuiltins) || name.text().ends_with("Error") ||
      name.text().ends_with("Exception") || name.text().ends_with("Warning")) {
    return s_.external(Symbol("builtins." + std::string(name.text())));
  }
  return s_.unknown({Free_::name, name});
}

}  // namespace ungate::python
