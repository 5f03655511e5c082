#include "python/program.h"

#include "base/text.h"
#include "python/parse.h"

namespace ungate::python {

void Program::add(std::string path) {
  std::string_view stem = path;
  if (stem.ends_with(".py")) stem.remove_suffix(3);
  else if (stem.ends_with(".pyi")) return;
  bool package = stem == "__init__" || stem.ends_with("/__init__");
  if (package) stem.remove_suffix(std::min<std::size_t>(stem.size(), 9));
  std::string dotted(stem);
  for (char& c : dotted) {
    if (c == '/') c = '.';
  }
  auto id = static_cast<ModuleId>(modules_.size());
  Symbol name(dotted);
  if (!by_name_.emplace(name, id).second) return;
  for (std::size_t dot = dotted.rfind('.'); dot != std::string::npos; dot = dotted.rfind('.', dot - 1)) {
    namespaces_.emplace(Symbol(std::string_view(dotted).substr(0, dot)), true);
    if (dot == 0) break;
  }
  by_path_.emplace(path, id);
  Module module;
  module.name = name;
  module.path = std::move(path);
  module.is_package = package;
  modules_.push_back(std::move(module));
}

std::optional<ModuleId> Program::find(Symbol dotted) const {
  auto found = by_name_.find(dotted);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ModuleId> Program::find_path(std::string_view path) const {
  auto found = by_path_.find(std::string(path));
  return found == by_path_.end() ? std::nullopt : std::optional(found->second);
}

bool Program::is_namespace(Symbol dotted) const { return namespaces_.contains(dotted); }

Symbol Program::package(ModuleId id) const {
  std::string_view name = modules_[id].name.text();
  return Symbol(name.substr(0, name.find('.')));
}

bool Program::defines_alone(ModuleId id, Symbol name) {
  if (!definers_) return false;
  auto [entry, fresh] = alone_.try_emplace({id, name}, false);
  if (!fresh) return entry->second;
  std::vector<ModuleId> all = definers_(name, package(id));
  if (all.size() != 1 || all[0] != id || load(id).file == nullptr) return false;
  std::string_view text = modules_[id].file->text();
  std::string definition = "def " + std::string(name.text()) + '(';
  std::size_t first = text.find(definition);
  return entry->second = first != std::string_view::npos && text.find(definition, first + 1) == std::string_view::npos;
}

Module& Program::load(ModuleId id) {
  Module& m = modules_[id];
  if (m.loaded) return m;
  m.loaded = true;
  m.file = loader_(m.path);
  if (m.file == nullptr) return m;
  m.outline.emplace(m.file->text());
  for (const Statement& s : m.outline->statements()) {
    auto index = static_cast<std::uint32_t>(m.pieces.size());
    Bindings bound = bindings_of(m.file->text(), *m.outline, s);
    for (Symbol name : bound.names) m.binders[name].push_back(index);
    for (Symbol module : bound.star_imports) m.star_imports.emplace_back(index, module);
    m.pieces.push_back(Piece{s, nullptr});
  }
  for (const LogicalLine& line : m.outline->lines()) {
    std::string_view content = m.file->text({line.begin, line.end});
    if (line.kind != LineKind::simple || !content.starts_with("global ")) continue;
    for (std::string_view name : text::split(content.substr(7, content.find('#') - 7), ',')) {
      m.rebound[Symbol(text::trim(name))].push_back(line.begin);
    }
  }
  return m;
}

const Tree& Program::tree(ModuleId id, std::uint32_t index) {
  Module& m = load(id);
  Piece& piece = m.pieces[index];
  if (!piece.tree) {
    bytes_parsed_ += piece.statement.range.size();
    piece.tree = std::make_unique<Tree>(parse(m.file->text(), piece.statement.range));
  }
  return *piece.tree;
}

const Tree& Program::parse_range(ModuleId id, source::Range range) {
  Module& m = load(id);
  std::unique_ptr<Tree>& tree = m.parts[range.begin];
  if (tree == nullptr) {
    bytes_parsed_ += range.size();
    tree = std::make_unique<Tree>(parse(m.file->text(), range));
  }
  return *tree;
}

void Program::prepare(ModuleId id, const WordSet& words) {
  Module& m = load(id);
  m.mentioned.clear();
  if (m.file == nullptr) return;
  std::string_view text = m.file->text();
  auto look = [&](const Statement& s) {
    if (s.kind == LineKind::import || !mentions(text, s.range, words)) return false;
    m.mentioned.insert(s.range.begin);
    return true;
  };
  for (std::uint32_t i = 0; i < m.pieces.size(); ++i) {
    const Statement& s = m.pieces[i].statement;
    if (!look(s)) continue;
    if (s.kind == LineKind::function) {
      parse_range(id, s.range);
    } else if (s.kind == LineKind::klass) {
      for (const Statement& member : m.outline->body(text, s)) {
        if (look(member)) parse_range(id, member.range);
      }
    } else {
      tree(id, i);
    }
  }
}

Symbol Program::absolute(ModuleId from, std::string_view written) const {
  if (!written.starts_with('.')) return Symbol(written);
  std::size_t dots = 0;
  while (dots < written.size() && written[dots] == '.') ++dots;
  std::string_view base = modules_[from].name.text();
  // One dot is the package that holds the module; a package's own __init__ is in it already.
  for (std::size_t up = modules_[from].is_package ? 1 : 0; up < dots; ++up) {
    std::size_t dot = base.rfind('.');
    if (base.empty()) return {};
    base = dot == std::string_view::npos ? std::string_view() : base.substr(0, dot);
  }
  std::string_view rest = text::trim(written.substr(dots));
  std::string out(base);
  if (!out.empty() && !rest.empty()) out += '.';
  out += rest;
  return Symbol(out);
}

}  // namespace ungate::python
