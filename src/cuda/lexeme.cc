#include "cuda/lexeme.h"

#include <algorithm>

#include "base/text.h"
#include "cuda/scan.h"

namespace ungate::cuda {
namespace {

constexpr std::string_view kLong[] = {"<<<", ">>>", "::", "->", "<<", ">>", "&&", "||",
                                      "==",  "!=",  "<=", ">=", "++", "--", "+=", "-="};

class Lexer {
 public:
  Lexer(std::string_view s, std::size_t at, std::size_t end) : s_(s.substr(0, end)), at_(at) {
    out_.reserve((end - at) / 4);
  }

  // Lexes up to `stop`.
  void run(std::size_t stop) {
    while (at_ < stop) {
      if (skip_white()) continue;
      Lexeme l;
      l.begin = static_cast<std::uint32_t>(at_);
      read(l);
      l.end = static_cast<std::uint32_t>(at_);
      l.text = s_.substr(l.begin, at_ - l.begin);
      out_.push_back(l);
    }
  }

  void marker(std::uint32_t directive, source::Range range) {
    Lexeme l;
    l.kind = Lexeme::Kind::marker;
    l.begin = range.begin;
    l.end = range.end;
    l.index = directive;
    out_.push_back(l);
  }
  void skip_to(std::size_t at) { at_ = std::max(at_, at); }
  Lexemes take() { return std::move(out_); }

 private:
  bool skip_white() {
    while (at_ + 1 < s_.size() && s_[at_] == ' ') ++at_;
    char c = s_[at_];
    bool terminated = false;
    if (is_blank(c) || c == '\n') {
      ++at_;
    } else if (std::size_t n = splice_length(s_, at_); n != 0) {
      at_ += n;
    } else if (c == '/' && s_.substr(at_, 2) == "//") {
      at_ = end_of_line_comment(s_, at_);
    } else if (c == '/' && s_.substr(at_, 2) == "/*") {
      at_ = after_block_comment(s_, at_, terminated);
    } else {
      return false;
    }
    return true;
  }

  void read(Lexeme& l) {
    char c = s_[at_];
    if (text::is_identifier_start(c)) {
      std::size_t end = at_;
      while (end < s_.size() && text::is_identifier_part(s_[end])) ++end;
      bool prefix = end < s_.size() && (s_[end] == '"' || s_[end] == '\'') && end - at_ <= 3 &&
                    (c == 'L' || c == 'u' || c == 'U' || c == 'R');
      at_ = end;
      l.kind = Lexeme::Kind::identifier;
      if (!prefix) return;
      c = s_[at_];
    }
    if (c == '"' || c == '\'') return quoted(c, l);
    if (is_digit(c)) return number(l);
    constexpr std::string_view kSecond = "<>:=&|+-";  // of the long ones
    if (at_ + 1 < s_.size() && kSecond.find(s_[at_ + 1]) != std::string_view::npos) {
      for (std::string_view p : kLong) {
        if (p[0] != c || !s_.substr(at_).starts_with(p)) continue;
        at_ += p.size();
        return;
      }
    }
    ++at_;
  }

  void quoted(char quote, Lexeme& l) {
    l.kind = quote == '"' ? Lexeme::Kind::string : Lexeme::Kind::character;
    bool terminated = false;
    at_ = opens_raw_string(s_, at_) ? after_raw_string(s_, at_, terminated) : after_quoted(s_, at_);
  }

  void number(Lexeme& l) {
    l.kind = Lexeme::Kind::number;
    at_ = after_number(s_, at_);
  }

  std::string_view s_;
  std::size_t at_;
  Lexemes out_;
};

bool opens(const Lexeme& l) { return l.is("(") || l.is("[") || l.is("{"); }
bool closes(const Lexeme& l) { return l.is(")") || l.is("]") || l.is("}"); }

// How many '>' a lexeme is.
int closing_angles(const Lexeme& l) { return l.is(">") ? 1 : l.is(">>") ? 2 : l.is(">>>") ? 3 : 0; }

// A template argument list is not longer, in lexemes.
constexpr std::size_t kLongestList = 400;

}  // namespace

Lexemes lex_code(std::string_view text, const Directives& directives) {
  std::uint32_t start = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  return lex_code(text, directives, {start, static_cast<std::uint32_t>(text.size())});
}

Lexemes lex_code(std::string_view text, const Directives& directives, source::Range part) {
  Lexer lexer(text, part.begin, part.end);
  const auto& list = directives.list;
  auto first = std::ranges::lower_bound(list, part.begin, {}, [](const Directive& d) { return d.range.begin; });
  for (auto d = first; d != list.end() && d->range.begin < part.end; ++d) {
    lexer.run(d->range.begin);
    if (d->kind <= DirectiveKind::endif) lexer.marker(static_cast<std::uint32_t>(d - list.begin()), d->range);
    lexer.skip_to(d->range.end);
  }
  lexer.run(part.end);
  return lexer.take();
}

Lexemes lex_range(std::string_view text, source::Range range) {
  Lexer lexer(text, range.begin, range.end);
  lexer.run(range.end);
  return lexer.take();
}

std::size_t after_brackets(const Lexemes& l, std::size_t at, std::size_t end) {
  int depth = 0;
  for (; at < end; ++at) {
    if (opens(l[at])) ++depth;
    if (closes(l[at]) && --depth <= 0) return at + 1;
  }
  return end;
}

std::size_t after_angles(const Lexemes& l, std::size_t at, std::size_t end) {
  int depth = 0;
  end = std::min(end, at + kLongestList);
  for (std::size_t i = at; i < end;) {
    if (l[i].is("(") || l[i].is("[") || l[i].is("{")) {
      i = after_brackets(l, i, end);
      continue;
    }
    if (closes(l[i]) || l[i].is(";") || l[i].is("&&") || l[i].is("||")) return at;
    if (l[i].is("<")) ++depth;
    depth -= closing_angles(l[i]);
    ++i;
    if (depth <= 0) return i;
  }
  return at;
}

std::size_t angles_before(const Lexemes& l, std::size_t begin, std::size_t end) {
  int depth = 0;
  std::size_t least = end > kLongestList ? std::max(begin, end - kLongestList) : begin;
  for (std::size_t i = end; i > least; --i) {
    const Lexeme& x = l[i - 1];
    if (closes(x)) {
      int inner = 0;
      while (i > least) {
        if (closes(l[i - 1])) ++inner;
        if (opens(l[i - 1]) && --inner == 0) break;
        --i;
      }
      if (i <= least) return end;
      continue;
    }
    if (opens(x) || x.is(";")) return end;
    depth += closing_angles(x);
    if (x.is("<") && --depth == 0) return i - 1;
    if (depth == 0) return end;
  }
  return end;
}

std::vector<std::pair<std::size_t, std::size_t>> split_arguments(const Lexemes& l,
                                                                 std::size_t begin,
                                                                 std::size_t end) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  std::size_t from = begin;
  for (std::size_t i = begin; i < end;) {
    if (opens(l[i])) {
      i = after_brackets(l, i, end);
    } else if (l[i].is("<") && i > begin && l[i - 1].is_identifier()) {
      i = std::max(after_angles(l, i, end), i + 1);
    } else if (l[i].is(",")) {
      out.emplace_back(from, i);
      from = ++i;
    } else {
      ++i;
    }
  }
  if (from < end) out.emplace_back(from, end);
  return out;
}

std::string spell(const Lexemes& l, std::size_t begin, std::size_t end) {
  std::string out;
  auto wordy = [](char c) { return text::is_identifier_part(c) || c == '"' || c == '\''; };
  for (std::size_t i = begin; i < end; ++i) {
    if (l[i].kind == Lexeme::Kind::marker) continue;
    bool operators =
        i > begin && !l[i].text.empty() && !out.empty() && wordy(out.back()) && wordy(l[i].text[0]);
    bool spaced =
        i > begin && l[i - 1].end != l[i].begin && !l[i].from_macro && !l[i - 1].from_macro;
    if (!out.empty() && (operators || spaced)) out += ' ';
    out += l[i].text;
  }
  return out;
}

namespace {

// The lexeme after a statement or block that begins at `at`.
std::size_t after_statement(const Lexemes& l, std::size_t at) {
  while (at < l.size() && l[at].kind == Lexeme::Kind::marker) ++at;
  if (at < l.size() && l[at].is("{")) return after_brackets(l, at, l.size());
  while (at < l.size() && !l[at].is(";")) at = l[at].is("(") || l[at].is("{") ? after_brackets(l, at, l.size()) : at + 1;
  return std::min(at + 1, l.size());
}

}  // namespace

std::size_t after_constexpr(const Lexemes& l, std::size_t at) {
  if (at + 2 >= l.size() || !l[at].is("if") || !l[at + 1].is("constexpr") || !l[at + 2].is("(")) return at;
  std::size_t end = after_statement(l, after_brackets(l, at + 2, l.size()));
  while (end + 1 < l.size() && l[end].is("else")) {
    std::size_t next = after_constexpr(l, end + 1);
    end = next != end + 1 ? next : after_statement(l, end + 1);
  }
  return end;
}

}  // namespace ungate::cuda
