// Attributes that a class answers for itself: `__getattr__`, and what `object.__setattr__` sets.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {
namespace {

const Symbol kGetattr("__getattr__");

}  // namespace

// What `__getattr__` says of an attribute that nothing else gives.
bool Interpreter::answered(ValueId object, Symbol name, Frame& f, DeviceSet mask, Lifted& out) {
  Lifted method;
  if (name.text().starts_with("__") || !class_attribute(s_.node(object).ref, kGetattr, method)) return false;
  Arguments arguments;
  arguments.positional.push_back(l_.of(s_.string(name)));
  out = call(bind_attribute(method, l_.of(object), false, f, mask), arguments, f, mask);
  return true;
}

// `object.__getattribute__(self, "name")`: `__getattr__` is not asked.
Lifted Interpreter::own_field(Lifted object, Lifted name) {
  if (!l_.uniform(name) || s_.kind(l_.value(name)) != Kind::string) return unknown(Free_::call, "object.__getattribute__");
  Symbol field = s_.node(l_.value(name)).name;
  return l_.map(object, [&](ValueId v) {
    ValueId value;
    if (s_.is_absent(v) || (s_.kind(v) == Kind::object && s_.field(v, field, value))) return s_.is_absent(v) ? v : value;
    return s_.unknown({Free_::config, field});
  });
}

// `object.__setattr__(self, "name", value)`, `setattr(x, "name", value)`
void Interpreter::set_by_call(NodeId call, Lifted callee, const Arguments& arguments, Frame& f, DeviceSet mask) {
  if (arguments.positional.size() != 3 || !l_.uniform(callee) || s_.kind(l_.value(callee)) != Kind::external) return;
  std::string_view name = s_.text(l_.value(callee));
  if (name != "builtins.setattr" && name != "builtins.object.__setattr__") return;
  Lifted key = arguments.positional[1];
  if (!l_.uniform(key) || s_.kind(l_.value(key)) != Kind::string) return;
  Symbol field = s_.node(l_.value(key)).name;
  Lifted changed = l_.zip(arguments.positional[0], arguments.positional[2], [&](ValueId object, ValueId value) {
    return s_.kind(object) == Kind::object ? s_.with_field(object, field, value) : object;
  });
  if (f.emit && depends_on_device(arguments.positional[2])) derive(field, Derived::As::attribute, f.module);
  if (changed != arguments.positional[0]) reassign(f.tree->child(call, 1), changed, f, mask);
}

// The classes of a module that have a `__getattr__` of their own.
const std::vector<ClassId>& Interpreter::answering_classes(ModuleId id) {
  auto [entry, fresh] = answering_classes_.try_emplace(id);
  const Module& m = p_.load(id);
  if (!fresh || m.file == nullptr) return entry->second;
  constexpr std::string_view kAnswers = "def __getattr__(";
  std::string_view text = m.file->text();
  if (text.find(kAnswers) == text.npos) return entry->second;
  for (std::uint32_t i = 0; i < m.pieces.size(); ++i) {
    const Statement& statement = m.pieces[i].statement;
    bool own = statement.kind == LineKind::klass && m.file->text(statement.range).find(kAnswers) != text.npos;
    if (own) entry->second.push_back(class_of_piece(id, i));
  }
  return entry->second;
}

// The names that `__getattr__` looks up in a table of the module: those that it answers by the device are looked for.
void Interpreter::derive_answers(ModuleId id) {
  for (ClassId klass : std::vector(answering_classes(id))) {
    auto bound = classes_[klass].binders.find(kGetattr);
    if (bound == classes_[klass].binders.end()) continue;
    const Function& fn = read(method_at(klass, bound->second[0]));
    const Tree& t = *fn.tree;
    source::Range range = fn.range;
    Frame f;
    f.module = id;
    for (NodeId n = 1; n < t.nodes.size(); ++n) {
      if (t[n].kind != NodeKind::name || t[n].number != 0 || !range.contains(t[n].range) || !p_[id].binders.contains(t[n].name)) continue;
      Lifted table = global(id, t[n].name);
      if (!l_.uniform(table) || s_.kind(l_.value(table)) != Kind::dict) continue;
      std::vector<ValueId> items(s_.items(l_.value(table)).begin(), s_.items(l_.value(table)).end());
      for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (s_.kind(items[i]) != Kind::string) continue;
        Symbol name = s_.node(items[i]).name;
        if (known_.contains({name, Derived::As::attribute, p_.package(id)})) continue;
        Lifted value;
        if (answered(s_.object(klass, {}, true), name, f, value::Values::all(), value) && depends_on_device(value)) {
          derive(name, Derived::As::attribute, id);
        }
      }
    }
  }
}

}  // namespace ungate::python
