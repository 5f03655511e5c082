#include "python/callers.h"

#include <algorithm>

namespace ungate::python {
namespace {

source::Range range_of(const Use& use, Symbol name) {
  return {use.begin, use.begin + static_cast<std::uint32_t>(name.text().size())};
}

std::vector<ModuleId> modules_of(const std::vector<ModuleUses>& uses) {
  std::vector<ModuleId> out;
  for (const ModuleUses& m : uses) out.push_back(m.module);
  return out;
}

}  // namespace

const std::vector<Statement>& Callers::members(ModuleId id, const Statement& klass) {
  auto [entry, fresh] = members_.try_emplace({id, klass.range.begin});
  if (fresh) entry->second = p_[id].outline->body(p_[id].file->text(), klass);
  return entry->second;
}

Routine Callers::around(ModuleId id, std::uint32_t offset) {
  Module& m = p_.load(id);
  Routine out{id, {}, {}, {}, false};
  if (m.file == nullptr) return out;
  auto holding = [offset](const std::vector<Statement>& list) -> const Statement* {
    auto after = std::ranges::upper_bound(list, offset, {}, [](const Statement& s) { return s.range.begin; });
    if (after == list.begin() || !std::prev(after)->range.contains(offset)) return nullptr;
    return &*std::prev(after);
  };
  const Statement* s = holding(m.outline->statements());
  if (s == nullptr) return out;
  if (s->kind == LineKind::function) return {id, s->name, s->name, s->range, false};
  if (s->kind != LineKind::klass) return out;
  const Statement* member = holding(members(id, *s));
  if (member == nullptr || member->kind != LineKind::function) return out;
  Symbol qualified(std::string(s->name.text()) + '.' + std::string(member->name.text()));
  return {id, member->name, qualified, member->range, true};
}

std::vector<ModuleUses> Callers::uses_in_modules(const std::vector<ModuleId>& modules, Symbol name) const {
  std::vector<ModuleUses> found(modules.size());
  texts_.each(modules, [&](std::size_t i, std::string_view text) { found[i] = {modules[i], uses_in(text, name.text())}; });
  std::erase_if(found, [](const ModuleUses& m) { return m.uses.empty(); });
  return found;
}

// Whether a use stands outside strings and comments, and in which line.
bool Callers::is_code(ModuleId id, const Use& use, const LogicalLine*& line) {
  const Module& m = p_.load(id);
  if (m.file == nullptr) return false;
  line = line_at(*m.outline, use.begin);
  return line != nullptr && stands_in_code(m.file->text(), line->begin, use.begin);
}

// Whether one function or method of the program has this name, and no more.
bool Callers::is_unique(Symbol name) {
  auto [entry, fresh] = unique_.try_emplace(name, false);
  if (!fresh) return entry->second;
  int count = 0;
  for (ModuleId id : texts_.definers(name)) {
    const source::SourceFile* file = p_.load(id).file;
    if (file == nullptr) continue;
    for (const Use& use : uses_in(file->text(), name.text())) {
      const LogicalLine* line = nullptr;
      bool defines = use.defines && is_code(id, use, line) && line->kind == LineKind::function;
      if (defines && around(id, use.begin).name == name && ++count > 1) return false;
    }
  }
  return unique_[name] = count == 1;
}

bool Callers::resolves(const Routine& wanted, const CallSite& site, const Use& use) {
  ModuleId module = site.in.module;
  auto is_wanted = [&](const std::optional<Place>& place) {
    return place && place->module == wanted.module && place->range.begin == wanted.range.begin;
  };
  if (use.attribute) return !use.base.empty() && is_wanted(e_.attribute_definition(module, use.base, wanted.name));
  if (is_wanted(e_.definition(module, wanted.name))) return true;
  // An import inside the function.
  std::string_view text = p_[module].file->text();
  const auto& lines = p_[module].outline->lines();
  auto line = std::ranges::lower_bound(lines, site.in.range.begin, {}, &LogicalLine::begin);
  for (; line != lines.end() && line->begin < site.in.range.end; ++line) {
    bool names = line->kind == LineKind::import &&
                 text.substr(line->begin, line->end - line->begin).find(wanted.name.text()) != std::string_view::npos;
    if (names && is_wanted(e_.imported(module, {line->begin, line->end}, wanted.name))) return true;
  }
  return false;
}

// Of the uses of a name those that can be calls: for a name of several functions only where it may resolve to
// something known, which leaves few of thousands ("forward", "__init__").
const std::vector<ModuleUses>& Callers::candidates(Symbol name, Symbol package) {
  auto [entry, fresh] = candidates_.try_emplace({name, package});
  if (!fresh) return entry->second;
  const std::vector<ModuleUses> all = uses_in_modules(texts_.users(name, package), name);
  std::vector<ModuleUses>& out = entry->second;
  if (is_unique(name)) {
    for (const auto& [id, uses] : all) {
      ModuleUses kept{id, {}};
      for (const Use& use : uses) {
        const LogicalLine* line = nullptr;
        bool call = !use.keyword && !use.defines && is_code(id, use, line) && line->kind != LineKind::import;
        if (call) kept.uses.push_back(use);
      }
      out.push_back(std::move(kept));
    }
    return out;
  }
  for (const ModuleUses& m : all) {
    bool any = std::ranges::any_of(m.uses, [](const Use& u) { return !u.defines && !u.keyword && (!u.attribute || !u.base.empty()); });
    if (any) out.push_back(m);
  }
  const std::unordered_set<Symbol> made = e_.made_names();
  texts_.each(modules_of(out), [&](std::size_t i, std::string_view text) {
    out[i].uses = resolvable(text, name, out[i].uses, {p_[out[i].module].is_package, &made});
  });
  return out;
}

const std::vector<CallSite>& Callers::of(const Routine& function) {
  auto [entry, fresh] = sites_.try_emplace(function);
  if (!fresh) return entry->second;
  std::vector<CallSite> out;
  bool unique = is_unique(function.name);
  for (const auto& [id, uses] : candidates(function.name, p_.package(function.module))) {
    for (const Use& use : uses) {
      bool inside = id == function.module && function.range.contains(use.begin);
      if (inside || (use.own && id != function.module)) continue;
      const LogicalLine* line = nullptr;
      if (use.own && (!is_code(id, use, line) || line->kind == LineKind::import)) continue;
      CallSite site{around(id, use.begin), range_of(use, function.name), Confidence::unique_name};
      bool exact = resolves(function, site, use);
      if (exact) site.confidence = Confidence::exact;
      if (exact || unique) out.push_back(site);
    }
  }
  return sites_[function] = std::move(out);
}

std::vector<CallSite> Callers::uses_of_attribute(Symbol name, std::string_view outside_package) {
  std::vector<CallSite> out;
  for (const auto& [id, uses] : uses_in_modules(texts_.holders(name), name)) {
    std::string_view module = p_[id].name.text();
    if (module.substr(0, module.find('.')) == outside_package) continue;
    for (const Use& use : uses) {
      const LogicalLine* line = nullptr;
      if (use.attribute && is_code(id, use, line)) out.push_back({around(id, use.begin), range_of(use, name), Confidence::unique_name});
    }
  }
  return out;
}

}  // namespace ungate::python
