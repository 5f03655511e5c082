#include "python/callers.h"

#include <algorithm>

namespace ungate::python {
namespace {

// The logical line that holds an offset; null between lines (comments, blank lines).
const LogicalLine* line_at(const Outline& outline, std::uint32_t offset) {
  const auto& lines = outline.lines();
  auto after = std::ranges::upper_bound(lines, offset, {}, &LogicalLine::begin);
  if (after == lines.begin() || offset >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

// True if text[at] stands outside strings and comments of the logical line that begins at `begin`.
bool stands_in_code(std::string_view text, std::size_t begin, std::size_t at) {
  for (std::size_t i = begin; i < at;) {
    char c = text[i];
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      if (i > at) return false;
    } else if (c == '"' || c == '\'') {
      bool triple = text.substr(i, 3) == std::string_view(c == '"' ? "\"\"\"" : "'''");
      i += triple ? 3 : 1;
      for (; i < text.size(); ++i) {
        if (text[i] == '\\') ++i;
        else if (text[i] == '\n' && !triple) break;
        else if (text[i] == c && (!triple || text.substr(i, 3) == std::string(3, c))) break;
      }
      i += triple ? 3 : 1;
      if (i > at) return false;
    } else {
      ++i;
    }
  }
  return true;
}

source::Range range_of(const Use& use, Symbol name) {
  return {use.begin, use.begin + static_cast<std::uint32_t>(name.text().size())};
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

const std::vector<ModuleUses>& Callers::uses_of(Symbol name) {
  auto [entry, fresh] = uses_.try_emplace(name);
  if (fresh) entry->second = finder_(name);
  return entry->second;
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
  for (const auto& [id, uses] : uses_of(name)) {
    for (const Use& use : uses) {
      const LogicalLine* line = nullptr;
      bool defines = use.defines && is_code(id, use, line) && line->kind == LineKind::function;
      if (defines && around(id, use.begin).name == name && ++count > 1) return false;
    }
  }
  return unique_[name] = count == 1;
}

// False if the name cannot mean anything known at this place, whatever function is sought: what is asked of
// common names ("forward", "__init__"), of which there are thousands.
bool Callers::may_resolve(ModuleId id, Symbol name, const Use& use) {
  if (use.attribute) return !use.base.empty() && e_.may_know(id, use.base);
  return e_.may_know(id, name) || !around(id, use.begin).name.empty();  // an import in the function
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

// Of a common name those uses that may mean something known, else all: once for all functions of the name.
const std::vector<ModuleUses>& Callers::candidates(Symbol name) {
  auto [entry, fresh] = candidates_.try_emplace(name);
  if (!fresh) return entry->second;
  bool unique = is_unique(name);
  for (const auto& [id, uses] : uses_of(name)) {
    ModuleUses kept{id, {}};
    for (const Use& use : uses) {
      const LogicalLine* line = nullptr;
      if (use.keyword || use.defines || (!unique && !may_resolve(id, name, use))) continue;
      if (is_code(id, use, line) && line->kind != LineKind::import) kept.uses.push_back(use);
    }
    if (!kept.uses.empty()) entry->second.push_back(std::move(kept));
  }
  return entry->second;
}

const std::vector<CallSite>& Callers::of(const Routine& function) {
  auto [entry, fresh] = sites_.try_emplace(function);
  if (!fresh) return entry->second;
  std::vector<CallSite> out;
  bool unique = is_unique(function.name);
  for (const auto& [id, uses] : candidates(function.name)) {
    for (const Use& use : uses) {
      if (id == function.module && function.range.contains(use.begin)) continue;
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
  for (const auto& [id, uses] : uses_of(name)) {
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
