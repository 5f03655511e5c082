#include "prove/preprocessed.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/hash.h"
#include "base/text.h"

namespace ungate::prove {
namespace {

struct Token {
  std::string_view text;
  std::uint64_t hash;
  std::uint32_t marker;  // the last line marker before it
  std::uint32_t line;    // of the text, from 0
};

struct Marker {
  std::uint32_t at, line;  // line of the text that follows it; line of the file that it names
  std::uint32_t file;
};

// Characters that join with a neighbour to one operator.
bool joins(char c) {
  return std::string_view("+-<>&|=!*/%^:.#").find(c) != std::string_view::npos;
}

class Lexer {
 public:
  Lexer(std::string_view text, const Tree& tree) : s_(text), tree_(tree) {}

  void run() {
    bool fresh = true;  // at the beginning of a line
    while (at_ < s_.size()) {
      char c = s_[at_];
      if (c == '\n') {
        ++line_, ++at_;
        fresh = true;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (c == '#' && fresh && marker()) {
      } else {
        fresh = false;
        token(c);
      }
    }
  }

  std::vector<Token> tokens;
  std::vector<Marker> markers;
  std::vector<std::string> files;

 private:
  // `# 12 "path" 1`; other lines that begin with # (pragmas) are text.
  bool marker() {
    std::size_t end = std::min(s_.find('\n', at_), s_.size());
    std::string_view l = s_.substr(at_ + 1, end - at_ - 1);
    l = text::trim(l);
    if (l.starts_with("line ")) l = text::trim(l.substr(5));
    std::size_t open = l.find('"'), close = l.rfind('"');
    std::int64_t number = 0;
    if (open == l.npos || close <= open || !text::parse_int(text::trim(l.substr(0, open)), number)) return false;
    std::string name = tree_.name_of(l.substr(open + 1, close - open - 1));
    auto known = std::ranges::find(recent_, name, &std::pair<std::string, std::uint32_t>::first);
    std::uint32_t file = 0;
    if (known == recent_.end()) {
      file = static_cast<std::uint32_t>(files.size());
      files.push_back(name);
      recent_.emplace_back(std::move(name), file);
    } else {
      file = known->second;
    }
    markers.push_back({line_ + 1, static_cast<std::uint32_t>(number), file});
    at_ = end;
    return true;
  }

  void token(char c) {
    std::size_t begin = at_;
    if (text::is_identifier_part(c) || c == '$') {
      while (at_ < s_.size() && (text::is_identifier_part(s_[at_]) || s_[at_] == '$' || number_goes_on(begin))) ++at_;
      if (at_ < s_.size() && s_[at_] == '"' && s_[at_ - 1] == 'R') return raw_string(begin);
    } else if (c == '"' || c == '\'') {
      for (++at_; at_ < s_.size() && s_[at_] != c && s_[at_] != '\n'; ++at_) at_ += s_[at_] == '\\';
      at_ = std::min(at_ + 1, s_.size());
    } else if (joins(c)) {
      while (at_ < s_.size() && joins(s_[at_])) ++at_;
    } else {
      ++at_;
    }
    push(begin);
  }

  // 1.5e+3, 1'000
  bool number_goes_on(std::size_t begin) const {
    if (s_[begin] < '0' || s_[begin] > '9') return false;
    char c = s_[at_], before = s_[at_ - 1];
    if (c == '.' || c == '\'') return true;
    return (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
  }

  void raw_string(std::size_t begin) {
    std::size_t open = std::min(s_.find('(', at_), s_.size() - 1);
    std::string end = ')' + std::string(s_.substr(at_ + 1, open - at_ - 1)) + '"';
    std::size_t close = s_.find(end, open);
    at_ = close == s_.npos ? s_.size() : close + end.size();
    line_ += static_cast<std::uint32_t>(std::ranges::count(s_.substr(begin, at_ - begin), '\n'));
    push(begin);
  }

  void push(std::size_t begin) {
    std::string_view t = s_.substr(begin, at_ - begin);
    tokens.push_back({t, hash64(t), static_cast<std::uint32_t>(markers.size()), line_});
  }

  std::string_view s_;
  const Tree& tree_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 0;
  std::vector<std::pair<std::string, std::uint32_t>> recent_;
};

bool is_word(const Token& t) {
  return text::is_identifier_start(t.text.front());
}

const std::unordered_set<std::string_view> kForDevice = {
    "__device__", "__global__", "device", "global", "constexpr", "consteval", "__constexpr", "auto",
    "decltype",   "__decltype", "typeof", "__typeof__", "concept", "requires", "constinit"};
const std::unordered_set<std::string_view> kNoFunction = {
    "if",      "for",     "while",        "switch",    "catch",    "do",      "else",    "try",     "return",
    "sizeof",  "alignof", "__attribute__", "alignas",  "noexcept", "__declspec", "static_assert", "asm",
    "__asm__", "defined", "operator",     "throw",     "explicit", "_Alignas", "__extension__"};

class Splitter {
 public:
  Splitter(const Lexer& lexer, Preprocessed& out) : l_(lexer), t_(lexer.tokens), out_(out) {}

  void run() {
    std::size_t header = 0, header_pieces = 0;
    for (std::size_t i = 0; i < t_.size(); ++i) {
      std::string_view s = t_[i].text;
      if (s == "{") {
        if (is_scope(header, i)) {
          ++scopes_;
        } else {
          std::size_t end = after_braces(i);
          std::size_t name = function_name(header, i);
          if (name != t_.size() && for_host(header, i) && body_for_host(i, end)) {
            out_.pieces.resize(header_pieces);
            add_function(header, i, end, name);
          } else {
            for (std::size_t j = i; j < end; ++j) add(j);
          }
          i = end - 1;
          // `= {…}` goes on; a body ends the declaration.
          if (!has_assignment(after_templates(header, i), i)) header = end, header_pieces = out_.pieces.size();
          continue;
        }
      } else if (s == "}" && scopes_ > 0) {
        --scopes_;
      }
      add(i);
      if (s == ";" || s == "{" || s == "}") header = i + 1, header_pieces = out_.pieces.size();
      if (s == ":" && i > 0 && is_access(t_[i - 1].text)) header = i + 1, header_pieces = out_.pieces.size();
    }
  }

 private:
  static bool is_access(std::string_view s) { return s == "public" || s == "private" || s == "protected"; }

  Piece piece_at(std::size_t i) const {
    const Token& t = t_[i];
    if (t.marker == 0) return {t.hash, -1, 0, t.line + 1};
    const Marker& m = l_.markers[t.marker - 1];
    return {t.hash, -1, m.file, m.line + (t.line - m.at)};
  }
  void add(std::size_t i) { out_.pieces.push_back(piece_at(i)); }

  std::size_t after_braces(std::size_t open) const {
    std::size_t depth = 0;
    for (std::size_t i = open; i < t_.size(); ++i) {
      if (t_[i].text == "{") ++depth;
      if (t_[i].text == "}" && --depth == 0) return i + 1;
    }
    return t_.size();
  }

  std::size_t after_parentheses(std::size_t open, std::size_t end) const {
    std::size_t depth = 0;
    for (std::size_t i = open; i < end; ++i) {
      if (t_[i].text == "(") ++depth;
      if (t_[i].text == ")" && --depth == 0) return i + 1;
    }
    return end;
  }

  // After `template <…>`, as often as it stands there.
  std::size_t after_templates(std::size_t begin, std::size_t end) const {
    while (begin < end && t_[begin].text == "template") {
      int depth = 0;
      std::size_t i = begin + 1;
      for (; i < end; ++i) {
        for (char c : t_[i].text) depth += c == '<' ? 1 : c == '>' ? -1 : 0;
        if (t_[i].text == "(") i = after_parentheses(i, end) - 1;
        if (depth <= 0) break;
      }
      begin = std::min(i + 1, end);
    }
    return begin;
  }

  // namespace, extern "C", class, struct, union: what can hold definitions of functions.
  bool is_scope(std::size_t begin, std::size_t brace) const {
    begin = after_templates(begin, brace);
    if (begin == brace) return false;
    if (t_[begin].text == "extern" && begin + 2 == brace && t_[begin + 1].text.front() == '"') return true;
    std::size_t i = begin;
    while (i < brace && (t_[i].text == "inline" || t_[i].text == "typedef" || t_[i].text == "static")) ++i;
    if (i == brace) return false;
    if (t_[i].text == "namespace") return true;
    if (t_[i].text != "class" && t_[i].text != "struct" && t_[i].text != "union") return false;
    return function_name(begin, brace) == t_.size() && !has_assignment(begin, brace);
  }

  bool has_assignment(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (t_[i].text == "(") i = after_parentheses(i, end) - 1;
      else if (t_[i].text == "=") return true;
      else if (t_[i].text == "{") return false;
    }
    return false;
  }

  // The name before the parameter list of a definition whose body begins at `brace`.
  std::size_t function_name(std::size_t begin, std::size_t brace) const {
    begin = after_templates(begin, brace);
    if (begin == brace || has_assignment(begin, brace)) return t_.size();
    if (!is_word(t_[begin]) && t_[begin].text != "~" && t_[begin].text != "::") return t_.size();
    for (std::size_t i = begin; i + 1 < brace; ++i) {
      if (t_[i].text == "(") {
        i = after_parentheses(i, brace) - 1;
        continue;
      }
      if (t_[i + 1].text != "(" || !is_word(t_[i])) continue;
      if (kNoFunction.contains(t_[i].text)) continue;
      return i;
    }
    return t_.size();
  }

  bool for_host(std::size_t begin, std::size_t brace) const {
    for (std::size_t i = begin; i < brace; ++i) {
      if (kForDevice.contains(t_[i].text) || t_[i].text == "operator" || t_[i].text == "friend") return false;
      if (t_[i].text == "if" || t_[i].text == "for" || t_[i].text == "while") return false;
    }
    return true;
  }

  bool body_for_host(std::size_t open, std::size_t end) const {
    for (std::size_t i = open; i < end; ++i) {
      std::string_view s = t_[i].text;
      if (s == "__device__" || s == "__global__") return false;
      // __attribute__((device)), as host_defines.h spells it.
      if ((s == "device" || s == "global") && t_[i - 1].text == "(" && t_[i - 2].text == "(") return false;
      if ((s == "struct" || s == "class" || s == "union" || s == "enum") && i + 2 < end && is_word(t_[i + 1]) &&
          (t_[i + 2].text == "{" || t_[i + 2].text == ":"))
        return false;
    }
    return true;
  }

  void add_function(std::size_t header, std::size_t open, std::size_t end, std::size_t name) {
    Piece piece = piece_at(name);
    HostFunction function{std::string(t_[name].text), t_[name].hash, 1};
    piece.function = static_cast<std::int32_t>(out_.functions.size());
    piece.hash = 1;
    for (std::size_t i = header; i < open; ++i) piece.hash = combine(piece.hash, t_[i].hash);
    for (std::size_t i = open; i < end; ++i) function.body = combine(function.body, t_[i].hash);
    out_.pieces.push_back(piece);
    out_.functions.push_back(std::move(function));
  }

  static std::uint64_t combine(std::uint64_t a, std::uint64_t b) { return (a ^ b) * 0x9e3779b97f4a7c15ull + (a >> 29); }

  const Lexer& l_;
  const std::vector<Token>& t_;
  Preprocessed& out_;
  int scopes_ = 0;
};

class Comparison {
 public:
  Comparison(const Preprocessed& a, const Preprocessed& b) : a_(a), b_(b) {}

  Difference run() {
    Difference out;
    out.tokens = a_.hash != b_.hash;
    if (!out.tokens) return out;
    std::size_t i = 0, j = 0;
    while (i < a_.pieces.size() || j < b_.pieces.size()) {
      bool more_a = i < a_.pieces.size(), more_b = j < b_.pieces.size();
      if (more_a && more_b && same(a_.pieces[i], b_.pieces[j])) {
        if (body(a_, a_.pieces[i]) != body(b_, b_.pieces[j])) out.host.push_back(text(b_, b_.pieces[j]));
        ++i, ++j;
      } else if (more_b && can_skip(b_, b_.pieces[j])) {
        out.host.push_back(text(b_, b_.pieces[j++]));
      } else if (more_a && can_skip(a_, a_.pieces[i])) {
        out.host.push_back(text(a_, a_.pieces[i++]));
      } else {
        out.device = true;
        out.where = more_b ? b_.where(b_.pieces[j]) : a_.where(a_.pieces[i]);
        return out;
      }
    }
    std::ranges::sort(out.host);
    out.host.erase(std::ranges::unique(out.host).begin(), out.host.end());
    return out;
  }

 private:
  static std::string text(const Preprocessed& p, const Piece& piece) {
    return p.functions[static_cast<std::size_t>(piece.function)].name + " (" + p.where(piece) + ')';
  }
  static bool same(const Piece& a, const Piece& b) { return a.hash == b.hash && (a.function < 0) == (b.function < 0); }
  static std::uint64_t body(const Preprocessed& p, const Piece& piece) {
    return piece.function < 0 ? 0 : p.functions[static_cast<std::size_t>(piece.function)].body;
  }

  bool can_skip(const Preprocessed& p, const Piece& piece) {
    if (piece.function < 0) return false;
    if (mentioned_.empty()) {
      for (const Preprocessed* side : {&a_, &b_}) {
        for (const Piece& q : side->pieces) {
          if (q.function < 0) mentioned_.insert(q.hash);
        }
      }
    }
    return !mentioned_.contains(p.functions[static_cast<std::size_t>(piece.function)].name_hash);
  }

  const Preprocessed& a_;
  const Preprocessed& b_;
  std::unordered_set<std::uint64_t> mentioned_;
};

}  // namespace

std::string Preprocessed::where(const Piece& piece) const {
  return (piece.file < names.size() ? names[piece.file] : std::string("line")) + ':' + std::to_string(piece.line);
}

Preprocessed read_preprocessed(std::string_view text, const Tree& tree) {
  Lexer lexer(text, tree);
  lexer.run();
  Preprocessed out;
  out.hash = 1;
  for (const Token& t : lexer.tokens) out.hash = hash64(std::string_view(reinterpret_cast<const char*>(&t.hash), sizeof t.hash), out.hash);
  std::set<std::string> files;
  for (const std::string& f : lexer.files) {
    if (!f.starts_with('<')) files.insert(f);
  }
  out.files.assign(files.begin(), files.end());
  out.names = lexer.files;
  out.pieces.reserve(lexer.tokens.size());
  Splitter(lexer, out).run();
  return out;
}

Difference compare(const Preprocessed& before, const Preprocessed& after) {
  return Comparison(before, after).run();
}

}  // namespace ungate::prove
