// Classes, their attributes in method resolution order, objects and their fields.
#include <algorithm>

#include "base/text.h"
#include "python/interpreter.h"

namespace ungate::python {

// --- Making classes --------------------------------------------------------------------------------

// A class at module level: its members are ranges of the text, parsed when asked for.
ClassId Interpreter::class_of_piece(ModuleId id, std::uint32_t index) {
  auto [entry, fresh] = class_index_.try_emplace({id, index}, static_cast<ClassId>(classes_.size()));
  if (!fresh) return entry->second;
  ClassId klass = entry->second;
  Module& m = p_[id];
  const Statement& statement = m.pieces[index].statement;
  std::string_view text = m.file->text();
  classes_.push_back({});
  Klass& k = classes_[klass];
  k.module = id;
  k.name = statement.name;
  for (const Statement& member : m.outline->body(text, statement)) {
    auto at = static_cast<std::uint32_t>(k.members.size());
    for (Symbol bound : bindings_of(text, *m.outline, member).names) k.binders[bound].push_back(at);
    k.members.push_back({nullptr, 0, member.range, member.kind, member, 0, false});
    if (member.kind == LineKind::simple) note_field(k, m.file->text(member.range));
  }
  Frame f;
  f.module = id;
  std::size_t fuel = std::exchange(fuel_, statistics.expressions + kFuel);   // it is read once, whoever comes first
  read_header(klass, statement, f);
  fuel_ = fuel;
  return klass;
}

// A field of a dataclass or NamedTuple: `name: type`.
void Interpreter::note_field(Klass& k, std::string_view line) {
  std::size_t n = 0;
  while (n < line.size() && text::is_identifier_part(line[n])) ++n;
  if (n > 0 && line.substr(n).starts_with(':')) {
    Symbol name(line.substr(0, n));
    if (std::ranges::find(k.fields, name) == k.fields.end()) k.fields.push_back(name);
  }
}

// Bases and decorators of `class Name(bases):`, evaluated from the header's text alone.
void Interpreter::read_header(ClassId klass, const Statement& statement, Frame& f) {
  Module& m = p_[f.module];
  const auto& lines = m.outline->lines();
  std::string_view text = m.file->text();
  for (std::uint32_t i = statement.first; i < statement.head; ++i) {
    std::string_view decorator = text.substr(lines[i].begin + 1, lines[i].end - lines[i].begin - 1);
    note_decorator(classes_[klass], decorator);
  }
  source::Range head{lines[statement.head].begin, lines[statement.head].end};
  std::string_view line = text.substr(head.begin, head.size());
  std::size_t open = line.find('('), colon = line.find(':');
  std::vector<ValueId> bases;
  if (open != std::string_view::npos && open < colon) {
    // The header without its colon reads as a call: Name(bases, metaclass=M).
    std::size_t close = line.rfind(')');
    std::size_t name = line.find(statement.name.text());
    if (close != std::string_view::npos && name < open) {
      const Tree& t = p_.parse_range(f.module, {head.begin + static_cast<std::uint32_t>(name), head.begin + static_cast<std::uint32_t>(close) + 1});
      NodeId call = t.child(t.child(t.root, 0), 0);
      f.tree = &t;
      f.slots.resize(t.scopes[0].slots.size());
      for (std::size_t i = 1; i < t[call].count; ++i) {
        NodeId argument = t.child(call, i);
        if (t[argument].kind == NodeKind::keyword) continue;
        bases.push_back(l_.at(eval_raw(argument, f, value::Values::all()), 0));
      }
    }
  }
  set_bases(klass, std::move(bases));
}

void Interpreter::note_decorator(Klass& k, std::string_view decorator) {
  std::string_view name = decorator.substr(0, decorator.find('('));
  if (std::size_t dot = name.rfind('.'); dot != std::string_view::npos) name = name.substr(dot + 1);
  if (text::trim(name) == "total_ordering") k.total_ordering = true;
  if (!k_.dataclasses.contains(Symbol(text::trim(name)))) return;
  k.form = Klass::Form::dataclass;
  k.orders_fields = decorator.find("order=True") != std::string_view::npos;
}

void Interpreter::set_bases(ClassId klass, std::vector<ValueId> bases) {
  Klass& k = classes_[klass];
  k.bases = std::move(bases);
  k.mro = {klass};
  for (ValueId base : k.bases) {
    if (s_.kind(base) == Kind::klass) {
      const Klass& other = classes_[s_.node(base).ref];
      for (ClassId c : other.mro) {
        if (std::ranges::find(k.mro, c) == k.mro.end()) k.mro.push_back(c);
      }
      k.external_base = k.external_base || other.external_base;
      if (k.form == Klass::Form::plain && other.form != Klass::Form::plain) {
        k.form = other.form;
        std::vector<Symbol> fields = other.fields;
        fields.insert(fields.end(), k.fields.begin(), k.fields.end());
        k.fields = std::move(fields);
      }
      continue;
    }
    std::string_view name = s_.kind(base) == Kind::external ? s_.text(base) : std::string_view();
    if (std::size_t dot = name.rfind('.'); dot != std::string_view::npos) name = name.substr(dot + 1);
    if (name == "NamedTuple") k.form = Klass::Form::named_tuple;
    else if (name == "Enum" || name == "IntEnum" || name == "StrEnum") k.form = Klass::Form::enumeration;
    else if (name != "object" && name != "ABC" && name != "Protocol" && name != "Generic" && name != "str" && name != "int") {
      k.external_base = true;
    }
    if (k_.dataclasses.contains(Symbol(name))) k.form = Klass::Form::dataclass;
  }
}

// A class statement inside a function or branch.
Lifted Interpreter::define_class(NodeId id, Frame& f) {
  const Tree& t = *f.tree;
  auto [entry, fresh] = inner_class_index_.try_emplace(key_of(&t, id), static_cast<ClassId>(classes_.size()));
  ClassId klass = entry->second;
  if (!fresh) return l_.of(s_.handle(Kind::klass, klass));
  classes_.push_back({});
  Klass& k = classes_[klass];
  k.module = f.module;
  k.name = t[id].name;
  k.closure = capture(f, t.scopes[t[id].number]);
  for (NodeId member : t.children(t.child(id, 0))) {
    auto at = static_cast<std::uint32_t>(k.members.size());
    std::vector<Symbol> bound;
    bound_names(t, member, bound);
    for (Symbol name : bound) k.binders[name].push_back(at);
    if (t[member].kind == NodeKind::annotated) note_field(k, p_[f.module].file->text(t[member].range));
    LineKind kind = t[member].kind == NodeKind::function ? LineKind::function : LineKind::simple;
    k.members.push_back({&t, member, t[member].range, kind, {}, t[id].number, false});
  }
  for (std::size_t i = 2; i < t[id].count; ++i) note_decorator(k, p_[f.module].file->text(t[t.child(id, i)].range));
  std::vector<ValueId> bases;
  for (NodeId base : t.children(t.child(id, 1))) {
    if (t[base].kind != NodeKind::keyword) bases.push_back(l_.at(operand(base, f, value::Values::all()), 0));
  }
  set_bases(klass, std::move(bases));
  return l_.of(s_.handle(Kind::klass, klass));
}

void Interpreter::bound_names(const Tree& t, NodeId id, std::vector<Symbol>& out) const {
  const Node& n = t[id];
  if (n.kind == NodeKind::function || n.kind == NodeKind::klass) {
    out.push_back(n.name);
  } else if (n.kind == NodeKind::assign || n.kind == NodeKind::annotated || n.kind == NodeKind::augmented) {
    std::size_t targets = n.kind == NodeKind::assign ? n.count - 1 : 1;
    for (std::size_t i = 0; i < targets; ++i) {
      if (t[t.child(id, i)].kind == NodeKind::name) out.push_back(t[t.child(id, i)].name);
    }
  } else {
    for (NodeId child : t.children(id)) {
      if (t[child].kind == NodeKind::block || t[child].kind == NodeKind::if_ || n.kind == NodeKind::block) bound_names(t, child, out);
    }
  }
}

// --- Attributes of classes -------------------------------------------------------------------------

// What the class itself (not its bases) binds to a name.
bool Interpreter::own_attribute(ClassId klass, Symbol name, Lifted& out) {
  Klass& k = classes_[klass];
  if (auto found = k.attributes.find(name); found != k.attributes.end()) {
    out = with_stored(klass, name, found->second);
    return true;
  }
  auto bound = k.binders.find(name);
  if (bound == k.binders.end()) return false;
  if (!k.pending.insert(name).second) {
    out = unknown(Free_::name, name.text());
    return true;
  }
  for (std::uint32_t member : std::vector(bound->second)) run_member(klass, member);
  k.pending.erase(name);
  auto found = k.attributes.find(name);
  out = found == k.attributes.end() ? unknown(Free_::name, name.text()) : with_stored(klass, name, found->second);
  return true;
}

void Interpreter::run_member(ClassId klass, std::uint32_t index) {
  Klass::Member& member = classes_[klass].members[index];
  if (member.done) return;
  member.done = true;
  if (member.kind == LineKind::function && member.tree == nullptr) {
    Callable callable;
    callable.function = method_at(klass, index);
    if (functions_[callable.function].binding == Function::Binding::setter) return;
    classes_[klass].attributes[member.statement.name] = l_.of(s_.handle(Kind::function, intern_callable(std::move(callable))));
    return;
  }
  Frame f;
  f.module = classes_[klass].module;
  f.klass = klass;
  f.class_body = true;
  f.closure = classes_[klass].closure;
  f.emit = true;
  bool whole = member.tree == nullptr;
  f.tree = whole ? &p_.parse_range(f.module, member.range) : member.tree;
  if (whole) note_errors(f.module, *f.tree);
  f.scope = member.scope;
  f.slots.resize(scope_of(f).slots.size());
  std::size_t fuel = std::exchange(fuel_, statistics.expressions + kFuel);   // it runs once, whoever comes first
  if (whole) exec_block(f.tree->root, f, value::Values::all());
  else exec(member.node, f, value::Values::all());
  fuel_ = fuel;
  Klass& k = classes_[klass];
  for (std::size_t i = 0; i < f.slots.size(); ++i) {
    if (f.slots[i] == Lifted()) continue;
    Symbol bound = scope_of(f).slots[i];
    Lifted value = f.slots[i];
    if (k.form == Klass::Form::enumeration) {
      value = l_.map(value, [&](ValueId v) {
        return s_.kind(v) == Kind::function ? v : s_.member(klass, bound, v);
      });
    }
    k.attributes[bound] = value;
    if (depends_on_device(value)) derive(bound, Derived::As::attribute, f.module);
  }
}

FunctionId Interpreter::method_at(ClassId klass, std::uint32_t index) {
  const Klass::Member& member = classes_[klass].members[index];
  if (member.tree != nullptr) return function_of(classes_[klass].module, *member.tree, member.node, klass, classes_[klass].name);
  return function_at(classes_[klass].module, member.statement, klass);
}

bool Interpreter::class_attribute(ClassId klass, Symbol name, Lifted& out, std::size_t after) {
  const std::vector<ClassId> mro = classes_[klass].mro;
  for (std::size_t i = after; i < mro.size(); ++i) {
    if (own_attribute(mro[i], name, out)) return true;
  }
  return false;
}

ClassId Interpreter::class_of(ValueId v) const {
  Kind k = s_.kind(v);
  return k == Kind::object || k == Kind::record || k == Kind::member || k == Kind::klass ? s_.node(v).ref : kNoIndex;
}

}  // namespace ungate::python
