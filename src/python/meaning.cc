#include "python/meaning.h"

#include <algorithm>

namespace ungate::python {
namespace {

constexpr int kFarthest = 8;   // imports of what is imported

class Reader {
 public:
  explicit Reader(Program& program) : p_(program) {}

  std::optional<Meaning> global(ModuleId id, Symbol name, int depth) {
    if (depth > kFarthest) return std::nullopt;
    Module& m = p_.load(id);
    if (m.file == nullptr) return std::nullopt;
    if (auto bound = m.binders.find(name); bound != m.binders.end()) {
      for (std::uint32_t piece : bound->second) {
        if (auto found = bound_in(p_.tree(id, piece), id, name, depth)) return found;
      }
      return std::nullopt;
    }
    for (const auto& [piece, from] : m.star_imports) {
      auto source = p_.find(p_.absolute(id, from.text()));
      if (!source) continue;
      if (auto found = global(*source, name, depth + 1)) return found;
    }
    return std::nullopt;
  }

  // By a definition or an import anywhere in the tree.
  std::optional<Meaning> bound_in(const Tree& t, ModuleId id, Symbol name, int depth) {
    for (NodeId n = 1; n < t.nodes.size(); ++n) {
      NodeKind kind = t[n].kind;
      if ((kind == NodeKind::function || kind == NodeKind::klass) && t[n].name == name) {
        return Meaning{kind == NodeKind::klass ? Meaning::Kind::klass : Meaning::Kind::function, id, with_decorators(t, n, id)};
      }
      if (kind != NodeKind::import && kind != NodeKind::import_from) continue;
      for (NodeId alias : t.children(n)) {
        if (t[alias].kind != NodeKind::alias || t.symbols[t[alias].number] != name) continue;
        if (auto found = imported(t, n, alias, id, depth)) return found;
      }
    }
    return std::nullopt;
  }

  std::optional<Meaning> attribute(const Meaning& of, Symbol name, int depth) {
    if (of.kind == Meaning::Kind::klass) return of;   // a method of it
    if (of.kind == Meaning::Kind::function) return std::nullopt;
    if (auto found = global(of.module, name, depth)) return found;
    return module(Symbol(std::string(p_[of.module].name.text()) + '.' + std::string(name.text())));
  }

 private:
  source::Range with_decorators(const Tree& t, NodeId definition, ModuleId id) const {
    source::Range out = t[definition].range;
    for (NodeId decorator : decorators_of(t, definition)) out.begin = std::min(out.begin, t[decorator].range.begin);
    std::string_view text = p_[id].file->text();
    if (out.begin < t[definition].range.begin) out.begin = static_cast<std::uint32_t>(text.rfind('@', out.begin));
    return out;
  }

  std::optional<Meaning> module(Symbol dotted) const {
    auto id = p_.find(dotted);
    return id ? std::optional(Meaning{Meaning::Kind::module, *id, {}}) : std::nullopt;
  }

  std::optional<Meaning> imported(const Tree& t, NodeId statement, NodeId alias, ModuleId id, int depth) {
    std::string_view written = t[alias].name.text();
    if (t[statement].kind == NodeKind::import) {
      std::string_view first = written.substr(0, written.find('.'));   // `import a.b` binds a
      return module(Symbol(t.symbols[t[alias].number].text() == first ? first : written));
    }
    Symbol from = p_.absolute(id, t[statement].name.text());
    if (auto source = p_.find(from)) {
      if (*source != id) {
        if (auto found = global(*source, t[alias].name, depth + 1)) return found;
      }
    }
    return module(Symbol(std::string(from.text()) + '.' + std::string(written)));
  }

  Program& p_;
};

}  // namespace

std::optional<Meaning> meaning_of(Program& program, ModuleId module, Symbol name) { return Reader(program).global(module, name, 0); }

std::optional<Meaning> meaning_at(Program& program, const Tree& t, ModuleId module, NodeId node) {
  Reader reader(program);
  if (t[node].kind == NodeKind::attribute) {
    auto of = meaning_at(program, t, module, t.child(node, 0));
    return of ? reader.attribute(*of, t[node].name, 0) : std::nullopt;
  }
  if (t[node].kind != NodeKind::name) return std::nullopt;
  if (auto found = reader.bound_in(t, module, t[node].name, 0)) return found;
  if (t[node].number != 0) return std::nullopt;   // a variable of its function
  return reader.global(module, t[node].name, 0);
}

}  // namespace ungate::python
