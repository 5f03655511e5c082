#include "python/outline.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"

namespace ungate::python {
namespace {

// Characters at which the line scanner has to look; everything else is skipped by table.
constexpr auto kSpecial = [] {
  std::array<bool, 256> t{};
  for (char c : {'\n', '#', '"', '\'', '(', ')', '[', ']', '{', '}', '\\'}) t[static_cast<unsigned char>(c)] = true;
  return t;
}();

// After the string literal whose first quote is at `at`; text.size() if it is not closed.
std::size_t skip_string(std::string_view text, std::size_t at) {
  char quote = text[at];
  bool triple = text.substr(at, 3) == std::string_view(quote == '"' ? "\"\"\"" : "'''");
  std::size_t i = at + (triple ? 3 : 1);
  for (; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\') {
      ++i;
    } else if (c == quote) {
      if (!triple) return i + 1;
      if (text.substr(i, 3) == text.substr(at, 3)) return i + 3;
    } else if (c == '\n' && !triple) {
      return i;  // an unclosed string ends with its line
    }
  }
  return text.size();
}

LineKind kind_of(std::string_view line) {
  if (line.front() == '@') return LineKind::decorator;
  std::size_t n = 0;
  while (n < line.size() && line[n] >= 'a' && line[n] <= 'z') ++n;
  std::string_view word = line.substr(0, n);
  if (n < line.size() && text::is_identifier_part(line[n])) return LineKind::simple;
  auto starts = [&](std::string_view next) {
    return text::trim(line.substr(n)).starts_with(next);
  };
  switch (n) {
    case 2: if (word == "if") return LineKind::compound; break;
    case 3:
      if (word == "def") return LineKind::function;
      if (word == "for" || word == "try") return LineKind::compound;
      break;
    case 4:
      if (word == "with") return LineKind::compound;
      if (word == "elif" || word == "else") return LineKind::clause;
      if (word == "from") return LineKind::import;
      if (word == "case" && line.back() == ':') return LineKind::clause;
      break;
    case 5:
      if (word == "class") return LineKind::klass;
      if (word == "while") return LineKind::compound;
      if (word == "async") {
        return starts("def ") ? LineKind::function
                              : starts("for ") || starts("with ") ? LineKind::compound : LineKind::simple;
      }
      if (word == "match" && line.back() == ':') return LineKind::compound;
      break;
    case 6:
      if (word == "import") return LineKind::import;
      if (word == "except") return LineKind::clause;
      break;
    case 7: if (word == "finally") return LineKind::clause; break;
    default: break;
  }
  return LineKind::simple;
}

// The identifier after `def`, `async def` or `class`.
Symbol defined_name(std::string_view line) {
  for (int words = 0; words < 3; ++words) {
    std::size_t n = 0;
    while (n < line.size() && text::is_identifier_part(line[n])) ++n;
    std::string_view word = line.substr(0, n);
    if (word != "def" && word != "class" && word != "async") return Symbol(word);
    line = line.substr(n);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  }
  return {};
}

}  // namespace

Outline::Outline(std::string_view text) {
  std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  lines_.reserve(text.size() / 40);
  while (at < text.size()) {
    std::size_t indent = 0;
    for (; at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\f'); ++at) {
      indent = text[at] == '\t' ? (indent / 8 + 1) * 8 : indent + 1;
    }
    if (at == text.size()) break;
    if (text[at] == '\n' || text[at] == '\r') {
      ++at;
      continue;
    }
    std::size_t begin = at;
    bool comment = text[at] == '#';
    int depth = 0;
    for (; at < text.size(); ++at) {
      while (at < text.size() && !kSpecial[static_cast<unsigned char>(text[at])]) ++at;
      if (at == text.size()) break;
      char c = text[at];
      if (c == '\n') {
        if (depth == 0) break;
      } else if (c == '#') {
        const void* end = std::memchr(text.data() + at, '\n', text.size() - at);
        at = end == nullptr ? text.size() : static_cast<std::size_t>(static_cast<const char*>(end) - text.data());
        --at;
      } else if (c == '"' || c == '\'') {
        at = skip_string(text, at) - 1;
        if (at + 1 == text.size() && text.back() != c) broken_ = true;
      } else if (c == '\\') {
        if (at + 1 < text.size() && text[at + 1] == '\r') ++at;
        ++at;
      } else {
        depth += c == '(' || c == '[' || c == '{' ? 1 : -1;
        if (depth < 0) depth = 0;
      }
    }
    at = std::min(at, text.size());
    if (depth > 0) broken_ = true;
    if (!comment) {
      std::size_t end = at;
      while (end > begin && (text[end - 1] == '\r' || text[end - 1] == ' ')) --end;
      lines_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                        static_cast<std::uint16_t>(std::min<std::size_t>(indent, 0xffff)),
                        kind_of(text.substr(begin, end - begin))});
    }
    ++at;
  }
  top_ = group(text, 0, static_cast<std::uint32_t>(lines_.size()));
}

std::vector<Statement> Outline::group(std::string_view text, std::uint32_t first, std::uint32_t last) const {
  std::vector<Statement> out;
  if (first == last) return out;
  std::uint16_t base = lines_[first].indent;
  for (std::uint32_t i = first; i < last;) {
    Statement s{{lines_[i].begin, lines_[i].end}, i, i + 1, i, lines_[i].kind, {}};
    while (s.head + 1 < last && lines_[s.head].kind == LineKind::decorator) ++s.head;
    s.kind = lines_[s.head].kind;
    if (s.kind == LineKind::function || s.kind == LineKind::klass) {
      s.name = defined_name(text.substr(lines_[s.head].begin, lines_[s.head].end - lines_[s.head].begin));
    }
    std::uint32_t next = s.head + 1;
    while (next < last && (lines_[next].indent > base || lines_[next].kind == LineKind::clause)) ++next;
    s.last = next;
    s.range.end = lines_[next - 1].end;
    out.push_back(s);
    i = next;
  }
  return out;
}

std::vector<Statement> Outline::body(std::string_view text, const Statement& of) const {
  return group(text, std::min(of.head + 1, of.last), of.last);
}

}  // namespace ungate::python
