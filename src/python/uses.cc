#include "python/uses.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "base/text.h"

namespace ungate::python {
namespace {

std::size_t before_blanks(std::string_view text, std::size_t end) {
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\n')) --end;
  return end;
}

// The identifier that ends at the dot, or empty when it is not one ("f().name", "a[0].name").
std::string_view base_before(std::string_view text, std::size_t dot) {
  std::size_t begin = dot;
  while (begin > 0 && text::is_identifier_part(text[begin - 1])) --begin;
  return text.substr(begin, dot - begin);
}

// False before what never follows a name that is imported, assigned, or the target of a loop or `as`: `name(x)`,
// `name.x`, `name[x]`, and most words of prose.
bool may_bind(std::string_view text, std::size_t end) {
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
  if (end == text.size()) return true;
  if (text.substr(end, 2) == "in") return true;
  char c = text[end];
  return !text::is_identifier_part(c) && c != '(' && c != '.' && c != '[' && c != '"' && c != '\'' && c != '`';
}

const void* find(std::string_view text, std::string_view wanted, std::size_t from = 0) {
  return memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
}

Use use_at(std::string_view text, std::size_t begin, std::size_t end) {
  Use out;
  out.begin = static_cast<std::uint32_t>(begin);
  out.defines = begin >= 4 && text.substr(begin - 4, 4) == "def ";
  out.binding = !out.defines && may_bind(text, end);
  while (end < text.size() && text[end] == ' ') ++end;
  out.keyword = end + 1 < text.size() && text[end] == '=' && text[end + 1] != '=';
  std::size_t before = before_blanks(text, begin);
  out.attribute = before > 0 && text[before - 1] == '.';
  if (out.attribute) out.base = Symbol(base_before(text, before - 1));
  return out;
}

}  // namespace

std::vector<Use> uses_in(std::string_view text, std::string_view name) {
  std::vector<Use> out;
  for (std::size_t at = 0; at < text.size(); at += name.size()) {
    const void* found = memmem(text.data() + at, text.size() - at, name.data(), name.size());
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    std::size_t end = at + name.size();
    if (at > 0 && text::is_identifier_part(text[at - 1])) continue;
    if (end < text.size() && text::is_identifier_part(text[end])) continue;
    out.push_back(use_at(text, at, end));
  }
  return out;
}

const LogicalLine* line_at(const Outline& outline, std::uint32_t offset) {
  const auto& lines = outline.lines();
  auto after = std::ranges::upper_bound(lines, offset, {}, &LogicalLine::begin);
  if (after == lines.begin() || offset >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

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

namespace {

bool imports_star(std::string_view text) {
  constexpr std::string_view kImport = " import";
  std::size_t next = 0;
  while (const void* found = find(text, kImport, next)) {
    next = static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + kImport.size();
    while (next < text.size() && (text[next] == ' ' || text[next] == '\t')) ++next;
    if (next < text.size() && text[next] == '*') return true;
}
  return false;
}

// Where nothing but `def` can bind the name, it means that function or nothing; which are calls in code matters
// only where that function is asked about.
std::vector<Use> own_uses(const std::vector<Use>& uses) {
  std::vector<Use> out;
  for (Use use : uses) {
    if (use.defines || use.keyword || use.attribute) continue;
    use.own = true;
    out.push_back(use);
  }
  return out;
}

// What a file binds at its top level, asked name by name: most statements need not be looked at.
class Binders {
 public:
  Binders(std::string_view text, const Outline& outline) : text_(text), outline_(outline), star_(imports_star(text)) {}

  // Whether names are imported unseen.
  bool star() const { return star_; }

  // By a top-level statement; `only_defined`: by nothing but `def`.
  bool bound(Symbol name, bool& only_defined) {
    bool any = false;
    only_defined = true;
    const auto& statements = outline_.statements();
    std::size_t seen = statements.size();
    for (const Use& use : uses_in(text_, name.text())) {
      auto after = std::ranges::upper_bound(statements, use.begin, {}, [](const Statement& s) { return s.range.begin; });
      if (after == statements.begin()) continue;
      auto at = static_cast<std::size_t>(after - statements.begin()) - 1;
      if (at == seen || !statements[at].range.contains(use.begin)) continue;
      seen = at;
      if (!std::ranges::binary_search(bindings_of(text_, outline_, statements[at]).names, name)) continue;
      any = true;
      only_defined = only_defined && statements[at].kind == LineKind::function;
    }
    return any;
  }

 private:
  std::string_view text_;
  const Outline& outline_;
  bool star_;
};

// An import inside a function or other block that may give the name.
bool imported_below(std::string_view text, const Outline& outline, std::string_view name) {
  return std::ranges::any_of(outline.lines(), [&](const LogicalLine& l) {
    return l.kind == LineKind::import && l.indent > 0 && find(text.substr(l.begin, l.end - l.begin), name) != nullptr;
  });
}

}  // namespace

std::vector<Use> resolvable(std::string_view text, Symbol name, const std::vector<Use>& uses, const Outsiders& outsiders) {
  std::vector<Use> out;
  bool attributes = std::ranges::any_of(uses, [](const Use& u) { return u.attribute && !u.base.empty(); });
  bool binds = std::ranges::any_of(uses, &Use::binding);
  bool plain = !attributes && !binds && !outsiders.package && !outsiders.made->contains(name) && !imports_star(text);
  if (plain) return own_uses(uses);
  Outline outline(text);
  Binders binders(text, outline);
  struct Known {
    bool any = false, own = false;
  };
  std::unordered_map<Symbol, Known> known;
  auto ask = [&](Symbol wanted) {
    auto [entry, fresh] = known.try_emplace(wanted);
    if (!fresh) return entry->second;
    bool only_defined = false, bound = binders.bound(wanted, only_defined);
    bool elsewhere = outsiders.package || outsiders.made->contains(wanted) || binders.star();
    return entry->second = {bound || elsewhere, bound && only_defined && !elsewhere};
  };
  std::optional<bool> below;
  for (Use use : uses) {
    if (use.defines || use.keyword || (use.attribute && use.base.empty())) continue;
    Known what = ask(use.attribute ? use.base : name);
    if (!use.attribute && (!what.any || what.own)) {
      if (!below) below = imported_below(text, outline, name.text());
      if (*below) what = {true, false};
    }
    if (!what.any) continue;
    const LogicalLine* line = line_at(outline, use.begin);
    if (line == nullptr || line->kind == LineKind::import || !stands_in_code(text, line->begin, use.begin)) continue;
    use.own = !use.attribute && what.own;
    out.push_back(use);
  }
  return out;
}

}  // namespace ungate::python
