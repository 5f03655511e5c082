#include "python/callers.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

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
bool is_code(std::string_view text, std::size_t begin, std::size_t at) {
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

// Calls f(range, line) for each occurrence of a word outside strings and comments.
template <class F>
void each_use(const Module& m, std::string_view word, F&& f) {
  std::string_view text = m.file->text();
  for (std::size_t at = 0; at < text.size(); at += word.size()) {
    const void* found = memmem(text.data() + at, text.size() - at, word.data(), word.size());
    if (found == nullptr) return;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    std::size_t end = at + word.size();
    if (at > 0 && text::is_identifier_part(text[at - 1])) continue;
    if (end < text.size() && text::is_identifier_part(text[end])) continue;
    const LogicalLine* line = line_at(*m.outline, static_cast<std::uint32_t>(at));
    if (line == nullptr || !is_code(text, line->begin, at)) continue;
    f(source::Range{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)}, *line);
  }
}

bool follows_def(std::string_view text, std::uint32_t begin) {
  return begin >= 4 && text.substr(begin - 4, 4) == "def ";
}

// The identifier before `.name`, or empty when it is not one ("f().name", "a[0].name").
std::string_view base_before(std::string_view text, std::uint32_t begin) {
  std::size_t end = begin;
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\n')) --end;
  if (end == 0 || text[end - 1] != '.') return {};
  std::size_t stop = --end;
  while (end > 0 && text::is_identifier_part(text[end - 1])) --end;
  return text.substr(end, stop - end);
}

bool follows_dot(std::string_view text, std::uint32_t begin) {
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\n')) --begin;
  return begin > 0 && text[begin - 1] == '.';
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

// How many functions and methods of the program have this name.
std::size_t Callers::definitions(Symbol name) {
  auto [entry, fresh] = definitions_.try_emplace(name, 0);
  if (!fresh) return entry->second;
  std::size_t count = 0;
  for (ModuleId id : holders_(name)) {
    Module& m = p_.load(id);
    if (m.file == nullptr) continue;
    each_use(m, name.text(), [&](source::Range use, const LogicalLine& line) {
      bool defines = line.kind == LineKind::function && follows_def(m.file->text(), use.begin);
      if (defines && around(id, use.begin).name == name) ++count;
    });
  }
  return definitions_[name] = count;
}

Confidence Callers::resolve(const Routine& wanted, const CallSite& site, std::string_view text) {
  ModuleId module = site.in.module;
  bool attribute = follows_dot(text, site.range.begin);
  std::string_view base = attribute ? base_before(text, site.range.begin) : std::string_view();
  auto is_wanted = [&](const std::optional<Place>& place) {
    return place && place->module == wanted.module && place->range.begin == wanted.range.begin;
  };
  if (!attribute) {
    if (is_wanted(e_.definition(module, wanted.name))) return Confidence::exact;
    // An import inside the function.
    const auto& lines = p_[module].outline->lines();
    auto line = std::ranges::lower_bound(lines, site.in.range.begin, {}, &LogicalLine::begin);
    for (; line != lines.end() && line->begin < site.in.range.end; ++line) {
      if (line->kind != LineKind::import) continue;
      if (is_wanted(e_.imported(module, {line->begin, line->end}, wanted.name))) return Confidence::exact;
    }
  } else if (!base.empty() && is_wanted(e_.attribute_definition(module, Symbol(base), wanted.name))) {
    return Confidence::exact;
  }
  return definitions(wanted.name) == 1 ? Confidence::unique_name : Confidence::guessed;
}

const std::vector<CallSite>& Callers::of(const Routine& function) {
  auto [entry, fresh] = sites_.try_emplace(function);
  if (!fresh) return entry->second;
  std::vector<CallSite> out;
  for (ModuleId id : holders_(function.name)) {
    Module& m = p_.load(id);
    if (m.file == nullptr) continue;
    std::string_view text = m.file->text();
    each_use(m, function.name.text(), [&](source::Range use, const LogicalLine& line) {
      // Its own definition, a keyword argument of that name, an import of it.
      bool own = id == function.module && function.range.contains(use.begin);
      std::size_t after = use.end;
      while (after < text.size() && text[after] == ' ') ++after;
      bool keyword = after + 1 < text.size() && text[after] == '=' && text[after + 1] != '=';
      if (own || keyword || line.kind == LineKind::import || follows_def(text, use.begin)) return;
      CallSite site{around(id, use.begin), use, Confidence::guessed};
      site.confidence = resolve(function, site, text);
      out.push_back(site);
    });
  }
  return sites_[function] = std::move(out);
}

std::vector<CallSite> Callers::uses_of_attribute(Symbol name, std::string_view outside_package) {
  std::vector<CallSite> out;
  for (ModuleId id : holders_(name)) {
    Module& m = p_.load(id);
    std::string_view top = m.name.text().substr(0, m.name.text().find('.'));
    if (m.file == nullptr || top == outside_package) continue;
    each_use(m, name.text(), [&](source::Range use, const LogicalLine&) {
      if (follows_dot(m.file->text(), use.begin)) out.push_back({around(id, use.begin), use, Confidence::unique_name});
    });
  }
  return out;
}

}  // namespace ungate::python
