// Flags that are made of one another: `BLACKWELL = ENABLED and is_sm100()`, asked for in
// `ENABLED and not BLACKWELL`. Where ENABLED holds, BLACKWELL is what remains of it.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {

bool Interpreter::is_flag(const Tree& t, NodeId id) {
  return t[id].kind == NodeKind::name || (t[id].kind == NodeKind::attribute && t[t.child(id, 0)].kind == NodeKind::name);
}

// The module whose text gives a flag its value, through imports; nothing for a local.
std::optional<ModuleId> Interpreter::flag_module(const Tree& t, NodeId flag, Frame& f) {
  ModuleId id = f.module;
  if (t[flag].kind == NodeKind::attribute) {
    Lifted base = eval_raw(t.child(flag, 0), f, value::Values::all());
    if (!l_.uniform(base) || s_.kind(l_.value(base)) != Kind::module) return std::nullopt;
    id = s_.node(l_.value(base)).ref;
  } else if (t[flag].number != 0) {
    return std::nullopt;
  }
  return giver(id, t[flag].name, 0);
}

std::optional<ModuleId> Interpreter::giver(ModuleId id, Symbol name, int depth) {
  Module& m = p_.load(id);
  if (m.file == nullptr || depth > 4) return std::nullopt;
  auto bound = m.binders.find(name);
  if (bound == m.binders.end()) {
    for (const auto& [piece, module] : m.star_imports) {
      auto from = find_module(p_.absolute(id, module.text()));
      if (from && *from != id && exports(*from, name)) return giver(*from, name, depth + 1);
    }
    return std::nullopt;
  }
  if (bound->second.size() != 1) return std::nullopt;
  std::uint32_t piece = bound->second[0];
  if (m.pieces[piece].statement.kind != LineKind::import) return id;
  const Tree& t = p_.tree(id, piece);
  for (NodeId statement : t.children(t.root)) {
    for (NodeId alias : t.children(statement)) {
      bool same = t[statement].kind == NodeKind::import_from && t[alias].kind == NodeKind::alias &&
                  t[alias].name == name && t.symbols[t[alias].number] == name;
      auto from = same ? find_module(p_.absolute(id, t[statement].name.text())) : std::nullopt;
      if (from) return giver(*from, name, depth + 1);
    }
  }
  return std::nullopt;
}

Lifted Interpreter::given_what_holds(NodeId flag, Lifted value, Frame& f) {
  const Tree& t = *f.tree;
  auto id = flag_module(t, flag, f);
  if (!id) return value;
  Module& m = p_[*id];
  if (m.rebound.contains(t[flag].name)) return value;
  const Tree& d = p_.tree(*id, m.binders.at(t[flag].name)[0]);
  if (d[d.root].count != 1 || d[d.child(d.root, 0)].kind != NodeKind::assign) return value;
  NodeId assign = d.child(d.root, 0), made = d.child(assign, d[assign].count - 1);
  if (d[assign].count != 2 || d[made].kind != NodeKind::bool_and) return value;
  auto holds = [&](NodeId operand) {
    return d[operand].kind == NodeKind::name && std::ranges::any_of(held_, [&](NodeId held) {
      return t[held].name == d[operand].name && flag_module(t, held, f) == id;
    });
  };
  if (std::ranges::none_of(d.children(made), holds)) return value;
  Frame there;
  there.module = *id;
  there.tree = &d;
  there.slots.resize(d.scopes[0].slots.size());
  Lifted rest = l_.of(s_.boolean(true));
  for (NodeId operand : d.children(made)) {
    if (holds(operand)) continue;
    Lifted next = eval_raw(operand, there, value::Values::all());
    rest = l_.zip(rest, next, [&](ValueId a, ValueId b) { return connect(true, a, b); });
  }
  return rest;
}

}  // namespace ungate::python
