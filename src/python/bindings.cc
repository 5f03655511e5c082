// Which names a statement binds, read from its text: the table that lets a module's names be evaluated
// one by one, when asked for.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "python/outline.h"

namespace ungate::python {
namespace {

class LineReader {
 public:
  LineReader(std::string_view line, Bindings& out) : line_(line), out_(out) {}

  void read(LineKind kind) {
    switch (kind) {
      case LineKind::import: return import();
      case LineKind::compound:
      case LineKind::clause: return header();
      case LineKind::simple: return simple(line_);
      default: return;
    }
  }

 private:
  static std::string_view word(std::string_view s) {
    std::size_t n = 0;
    while (n < s.size() && text::is_identifier_part(s[n])) ++n;
    return s.substr(0, n);
  }
  static std::string_view after_blanks(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t' || s.front() == '\\' || s.front() == '\n' || s.front() == '\r')) {
      s.remove_prefix(1);
    }
    return s;
  }
  void bind(std::string_view name) {
    if (!name.empty() && text::is_identifier_start(name.front())) out_.names.push_back(Symbol(name));
  }

  // Offsets of `wanted` outside strings, comments and brackets; bracket depth at most `depth`.
  template <class F>
  static void at_depth_zero(std::string_view s, F&& f) {
    int depth = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      char c = s[i];
      if (c == '"' || c == '\'') {
        bool triple = s.substr(i, 3) == std::string(3, c);
        std::size_t close = i + (triple ? 3 : 1);
        while (close < s.size() && !(s[close] == c && (!triple || s.substr(close, 3) == std::string(3, c)))) {
          close += s[close] == '\\' ? 2 : 1;
        }
        i = close + (triple ? 2 : 0);
      } else if (c == '#') {
        i = std::min(s.find('\n', i), s.size());
      } else if (c == '(' || c == '[' || c == '{') {
        ++depth;
      } else if (c == ')' || c == ']' || c == '}') {
        --depth;
      } else if (depth == 0 && !f(i)) {
        return;
      }
    }
  }

  void import() {
    bool from = line_.starts_with("from");
    std::size_t begin = from ? line_.find(" import") : 0;
    if (begin == std::string_view::npos) return;
    std::string_view list = line_.substr(from ? begin + 7 : 6);
    std::string module(text::trim(line_.substr(4, from ? begin - 4 : 0)));
    if (from && text::trim(list).starts_with('*')) {
      out_.star_imports.push_back(Symbol(module));
      return;
    }
    // Comments may stand between the names of a list in parentheses.
    std::string clean;
    for (std::string_view l : text::split(list, '\n')) clean += std::string(l.substr(0, l.find('#'))) + ' ';
    for (char& c : clean) {
      if (c == '(' || c == ')' || c == '\\' || c == '\r' || c == ';') c = ' ';
    }
    for (std::string_view item : text::split(clean, ',')) {
      item = text::trim(item);
      std::size_t as = item.find(" as ");
      if (as != std::string_view::npos) {
        bind(word(after_blanks(item.substr(as + 4))));
      } else {
        bind(word(item));  // `import a.b` binds a
      }
    }
  }

  // `for a, b in x:`, `with c as d:`, `except E as e:`, and what follows the colon on the same line.
  void header() {
    std::string_view keyword = word(line_);
    if (keyword == "async") keyword = word(after_blanks(line_.substr(5)));
    std::size_t colon = std::string_view::npos;
    at_depth_zero(line_, [&](std::size_t i) {
      if (line_[i] == ':' && line_.substr(i, 2) != ":=") colon = i;
      return colon == std::string_view::npos;
    });
    std::string_view head = line_.substr(0, colon);
    if (keyword == "for") {
      std::size_t in = head.find(" in ");
      if (in != std::string_view::npos) targets(head.substr(head.find("for") + 3, in - head.find("for") - 3));
    }
    for (std::size_t as = head.find(" as "); as != std::string_view::npos; as = head.find(" as ", as + 4)) {
      bind(word(after_blanks(head.substr(as + 4))));
    }
    if (colon != std::string_view::npos) simple(after_blanks(line_.substr(colon + 1)));
  }

  void simple(std::string_view s) {
    std::vector<std::size_t> equals;
    std::size_t semicolon = std::string_view::npos;
    at_depth_zero(s, [&](std::size_t i) {
      if (s[i] == ';') {
        semicolon = i;
        return false;
      }
      if (s[i] != '=') return true;
      char before = i > 0 ? s[i - 1] : ' ', after = i + 1 < s.size() ? s[i + 1] : ' ';
      bool comparison = after == '=' || before == '=' || before == '!' || before == '<' || before == '>' || before == ':';
      // `<<=` and `>>=` assign.
      if (comparison && after != '=' && i > 1 && (before == '<' || before == '>') && s[i - 2] == before) comparison = false;
      if (!comparison) equals.push_back(i);
      return true;
    });
    std::size_t begin = 0;
    for (std::size_t at : equals) {
      targets(s.substr(begin, at - begin));
      begin = at + 1;
    }
    if (equals.empty()) mutation(s);
    if (semicolon != std::string_view::npos) simple(after_blanks(s.substr(semicolon + 1)));
  }

  // The names in an assignment's target list; of `a.b`, `a[0]` and `a: T` it is a.
  void targets(std::string_view s) {
    bool item_start = true;
    int depth = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      char c = s[i];
      if (item_start && text::is_identifier_start(c)) {
        std::string_view name = word(s.substr(i));
        bind(name);
        i += name.size() - 1;
        item_start = false;
        // Skip the rest of this target: an index, an attribute, an annotation.
        int inner = 0;
        while (i + 1 < s.size()) {
          char next = s[i + 1];
          if (next == '[' || next == '(' || next == '{') ++inner;
          if ((next == ')' || next == ']' || next == '}') && inner-- == 0) break;
          if (next == ',' && inner == 0) break;
          if (next == ':' && inner == 0 && depth == 0) return;
          ++i;
        }
      } else if (c == '(' || c == '[') {
        ++depth;
        item_start = true;
      } else if (c == ')' || c == ']') {
        --depth;
      } else if (c == ',' || c == '*') {
        item_start = true;
      }
    }
  }

  // `name.append(…)` and the like.
  void mutation(std::string_view s) {
    std::string_view name = word(s);
    if (name.empty() || s.substr(name.size(), 1) != ".") return;
    std::string_view method = word(s.substr(name.size() + 1));
    std::string_view rest = s.substr(name.size() + 1 + method.size());
    if (rest.starts_with('(') && is_mutator(method)) bind(name);
  }

  std::string_view line_;
  Bindings& out_;
};

}  // namespace

bool is_mutator(std::string_view method) {
  static constexpr std::string_view kMutators[] = {
      "append", "extend", "insert", "add", "update", "setdefault", "pop", "remove", "discard", "clear",
      "register", "sort", "reverse", "popitem"};
  return std::ranges::find(kMutators, method) != std::end(kMutators);
}

Bindings bindings_of(std::string_view text, const Outline& outline, const Statement& statement) {
  Bindings out;
  const auto& lines = outline.lines();
  for (std::uint32_t i = statement.first; i < statement.last; ++i) {
    const LogicalLine& line = lines[i];
    std::string_view content = text.substr(line.begin, line.end - line.begin);
    if (line.kind == LineKind::function || line.kind == LineKind::klass) {
      for (std::string_view head = content;;) {
        std::size_t n = 0;
        while (n < head.size() && text::is_identifier_part(head[n])) ++n;
        std::string_view word = head.substr(0, n);
        head = text::trim(head.substr(n));
        if (word == "async" || word == "def" || word == "class") continue;
        if (!word.empty()) out.names.push_back(Symbol(word));
        break;
      }
      while (i + 1 < statement.last && lines[i + 1].indent > line.indent) ++i;
      continue;
    }
    LineReader(content, out).read(line.kind);
  }
  std::ranges::sort(out.names);
  out.names.erase(std::unique(out.names.begin(), out.names.end()), out.names.end());
  return out;
}

}  // namespace ungate::python
