#include "cuda/token.h"

#include <algorithm>

#include "base/text.h"
#include "cuda/scan.h"

namespace ungate::cuda {
namespace {

struct Spelling {
  std::string_view text;
  Punct punct;
};
// Longest first; what is not listed is one byte.
constexpr Spelling kPunctuators[] = {
    {"...", Punct::ellipsis}, {"<<=", Punct::other},  {">>=", Punct::other}, {"<=>", Punct::other},
    {"->*", Punct::other},    {"##", Punct::paste},   {"<<", Punct::shl},    {">>", Punct::shr},
    {"<=", Punct::le},        {">=", Punct::ge},      {"==", Punct::eq},     {"!=", Punct::ne},
    {"&&", Punct::and_},      {"||", Punct::or_},     {"::", Punct::other},  {"->", Punct::other},
    {"++", Punct::other},     {"--", Punct::other},   {"+=", Punct::other},  {"-=", Punct::other},
    {"*=", Punct::other},     {"/=", Punct::other},   {"%=", Punct::other},  {"&=", Punct::other},
    {"|=", Punct::other},     {"^=", Punct::other},   {"(", Punct::open},    {")", Punct::close},
    {",", Punct::comma},      {"?", Punct::question}, {":", Punct::colon},   {"!", Punct::not_},
    {"~", Punct::complement}, {"+", Punct::plus},     {"-", Punct::minus},   {"*", Punct::star},
    {"/", Punct::slash},      {"%", Punct::percent},  {"<", Punct::lt},      {">", Punct::gt},
    {"&", Punct::bit_and},    {"^", Punct::bit_xor},  {"|", Punct::bit_or},  {"#", Punct::hash}};

constexpr Spelling kAlternatives[] = {{"and", Punct::and_},         {"or", Punct::or_},
                                      {"not", Punct::not_},         {"bitand", Punct::bit_and},
                                      {"bitor", Punct::bit_or},     {"xor", Punct::bit_xor},
                                      {"compl", Punct::complement}, {"not_eq", Punct::ne}};

class Tokenizer {
 public:
  Tokenizer(std::string_view s, std::size_t at, std::size_t end) : s_(s.substr(0, end)), at_(at) {}

  Tokens run() {
    for (;;) {
      std::size_t before = at_;
      skip_white();
      if (at_ >= s_.size()) return std::move(out_);
      Token t;
      t.space = at_ != before;
      std::size_t begin = at_;
      read(t);
      at_ = std::clamp(at_, begin + 1, s_.size());
      t.text = Symbol(s_.substr(begin, at_ - begin));
      t.range = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
      out_.push_back(t);
    }
  }

 private:
  void skip_white() {
    while (at_ < s_.size()) {
      bool terminated = false;
      if (is_blank(s_[at_]) || s_[at_] == '\n') {
        ++at_;
      } else if (s_.substr(at_, 2) == "//") {
        at_ = end_of_line_comment(s_, at_);
      } else if (s_.substr(at_, 2) == "/*") {
        at_ = after_block_comment(s_, at_, terminated);
      } else {
        return;
      }
    }
  }

  void read(Token& t) {
    char c = s_[at_];
    bool terminated = false;
    if (is_digit(c) || (c == '.' && at_ + 1 < s_.size() && is_digit(s_[at_ + 1]))) {
      t.kind = TokenKind::number;
      return number();
    }
    if (text::is_identifier_start(c)) {
      std::size_t end = at_;
      while (end < s_.size() && text::is_identifier_part(s_[end])) ++end;
      char next = end < s_.size() ? s_[end] : '\0';
      if ((next == '\'' || next == '"') && is_encoding(s_.substr(at_, end - at_))) {
        at_ = end;
        c = next;
      } else {
        return word(end, t);
      }
    }
    if (c == '"' || c == '\'') {
      t.kind = c == '"' ? TokenKind::string : TokenKind::character;
      at_ =
          opens_raw_string(s_, at_) ? after_raw_string(s_, at_, terminated) : after_quoted(s_, at_);
      return;
    }
    punctuator(t);
  }

  static bool is_encoding(std::string_view word) {
    for (std::string_view prefix : {"L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"}) {
      if (word == prefix) return true;
    }
    return false;
  }

  void word(std::size_t end, Token& t) {
    std::string_view word = s_.substr(at_, end - at_);
    at_ = end;
    t.kind = TokenKind::identifier;
    for (const Spelling& a : kAlternatives) {
      if (a.text != word) continue;
      t.kind = TokenKind::punctuator;
      t.punct = a.punct;
    }
  }

  void number() {
    at_ = after_number(s_, at_);
  }

  void punctuator(Token& t) {
    for (const Spelling& p : kPunctuators) {
      if (!s_.substr(at_).starts_with(p.text)) continue;
      t.kind = TokenKind::punctuator;
      t.punct = p.punct;
      at_ += p.text.size();
      return;
    }
    ++at_;
  }

  std::string_view s_;
  std::size_t at_;
  Tokens out_;
};

}  // namespace

Tokens tokenize(std::string_view text, source::Range range) {
  range.end = std::min(range.end, static_cast<std::uint32_t>(text.size()));
  range.begin = std::min(range.begin, range.end);
  std::string_view part = text.substr(range.begin, range.size());
  if (part.find('\\') == std::string_view::npos)
    return Tokenizer(text, range.begin, range.end).run();

  // A splice may stand inside a token: take the splices out first and map the ranges back.
  std::string joined;
  std::vector<std::uint32_t> origin;
  for (std::size_t i = 0; i < part.size();) {
    if (std::size_t n = splice_length(part, i); n != 0) {
      i += n;
      continue;
    }
    joined += part[i];
    origin.push_back(range.begin + static_cast<std::uint32_t>(i++));
  }
  Tokens tokens = Tokenizer(joined, 0, joined.size()).run();
  for (Token& t : tokens) t.range = {origin[t.range.begin], origin[t.range.end - 1] + 1};
  return tokens;
}

std::string spell(std::span<const Token> tokens) {
  std::string out;
  for (const Token& t : tokens) {
    if (t.space && !out.empty()) out += ' ';
    out += t.text.text();
  }
  return out;
}

}  // namespace ungate::cuda
