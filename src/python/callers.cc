#include "python/callers.h"

#include <algorithm>

#include "base/text.h"

namespace ungate::python {
namespace {

// Calls f(range) for each occurrence of a word in text[within], outside strings and comments.
template <class F>
void each_use(std::string_view text, source::Range within, std::string_view word, F&& f) {
  for (std::size_t at = within.begin; at < within.end;) {
    char c = text[at];
    if (c == '#') {
      at = std::min<std::size_t>(text.find('\n', at), within.end);
    } else if (c == '"' || c == '\'') {
      bool triple = text.substr(at, 3) == std::string(3, c);
      std::size_t close = at + (triple ? 3 : 1);
      while (close < within.end) {
        if (text[close] == '\\') ++close;
        else if (text[close] == '\n' && !triple) break;
        else if (text[close] == c && (!triple || text.substr(close, 3) == std::string(3, c))) break;
        ++close;
      }
      at = close + (triple ? 3 : 1);
    } else if (text::is_identifier_start(c)) {
      std::size_t end = at;
      while (end < within.end && text::is_identifier_part(text[end])) ++end;
      if (text.substr(at, end - at) == word) f(source::Range{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)});
      at = end;
    } else {
      ++at;
    }
  }
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

Routine Callers::around(ModuleId id, std::uint32_t offset) {
  Module& m = p_.load(id);
  Routine out{id, {}, {}, {}, false};
  if (m.file == nullptr) return out;
  for (const Statement& s : m.outline->statements()) {
    if (!s.range.contains(offset)) continue;
    if (s.kind == LineKind::function) return {id, s.name, s.name, s.range, false};
    if (s.kind != LineKind::klass) return out;
    for (const Statement& member : m.outline->body(m.file->text(), s)) {
      if (member.kind != LineKind::function || !member.range.contains(offset)) continue;
      Symbol qualified(std::string(s.name.text()) + '.' + std::string(member.name.text()));
      return {id, member.name, qualified, member.range, true};
    }
  }
  return out;
}

// How many functions and methods of the program have this name.
std::size_t Callers::definitions(Symbol name) {
  auto [entry, fresh] = definitions_.try_emplace(name, 0);
  if (!fresh) return entry->second;
  std::size_t count = 0;
  for (ModuleId id : holders_(name)) {
    Module& m = p_.load(id);
    if (m.file == nullptr) continue;
    for (const Statement& s : m.outline->statements()) {
      if (s.kind == LineKind::function && s.name == name) ++count;
      if (s.kind != LineKind::klass) continue;
      for (const Statement& member : m.outline->body(m.file->text(), s)) {
        if (member.kind == LineKind::function && member.name == name) ++count;
      }
    }
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
    for (const LogicalLine& line : p_[module].outline->lines()) {
      if (line.kind != LineKind::import || !site.in.range.contains(line.begin)) continue;
      if (is_wanted(e_.imported(module, {line.begin, line.end}, wanted.name))) return Confidence::exact;
    }
  } else if (!base.empty() && is_wanted(e_.attribute_definition(module, Symbol(base), wanted.name))) {
    return Confidence::exact;
  }
  return definitions(wanted.name) == 1 ? Confidence::unique_name : Confidence::guessed;
}

std::vector<CallSite> Callers::of(const Routine& function) {
  std::vector<CallSite> out;
  for (ModuleId id : holders_(function.name)) {
    Module& m = p_.load(id);
    if (m.file == nullptr) continue;
    std::string_view text = m.file->text();
    for (const Statement& s : m.outline->statements()) {
      if (s.kind == LineKind::import) continue;
      each_use(text, s.range, function.name.text(), [&](source::Range use) {
        CallSite site{around(id, use.begin), use, Confidence::guessed};
        // Its own definition, a keyword argument of that name, an import of it.
        bool own = id == function.module && function.range.contains(use.begin);
        std::size_t after = use.end;
        while (after < text.size() && text[after] == ' ') ++after;
        bool keyword = after < text.size() && text[after] == '=' && text[std::min(after + 1, text.size() - 1)] != '=';
        bool definition = use.begin >= 4 && text.substr(use.begin - 4, 4) == "def ";
        for (const LogicalLine& line : m.outline->lines()) {
          if (line.begin > use.begin) break;
          if (line.kind == LineKind::import && use.begin < line.end) own = true;
        }
        if (own || keyword || definition) return;
        site.confidence = resolve(function, site, text);
        out.push_back(site);
      });
    }
  }
  return out;
}

std::vector<CallSite> Callers::uses_of_attribute(Symbol name, std::string_view outside_package) {
  std::vector<CallSite> out;
  for (ModuleId id : holders_(name)) {
    Module& m = p_.load(id);
    std::string_view top = m.name.text().substr(0, m.name.text().find('.'));
    if (m.file == nullptr || top == outside_package) continue;
    std::string_view text = m.file->text();
    each_use(text, {0, static_cast<std::uint32_t>(text.size())}, name.text(), [&](source::Range use) {
      if (follows_dot(text, use.begin)) out.push_back({around(id, use.begin), use, Confidence::unique_name});
    });
  }
  return out;
}

}  // namespace ungate::python
