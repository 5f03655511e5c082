// Integer and character literals of conditions.
#include <string_view>

#include "cuda/expression.h"
#include "cuda/scan.h"

namespace ungate::cuda {
namespace {

int digit_of(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

Number integer(std::string_view s, bool& syntax) {
  Number n;
  unsigned base = 10;
  if (s.size() > 1 && s[0] == '0') {
    char mark = s[1];
    base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
    s.remove_prefix(base == 8 ? 1 : 2);
    if (base != 8 && (s.empty() || digit_of(s[0]) >= static_cast<int>(base))) syntax = false;
  }
  std::size_t i = 0;
  for (; i < s.size(); ++i) {
    if (s[i] == '\'') continue;
    if (digit_of(s[i]) >= static_cast<int>(base)) break;
    n.bits = n.bits * base + static_cast<unsigned>(digit_of(s[i]));
  }
  for (; i < s.size(); ++i) {
    switch (s[i]) {
      case 'u':
      case 'U': n.is_unsigned = true; break;
      case 'l':
      case 'L':
      case 'z':
      case 'Z': break;
      default: syntax = false;  // a floating-point number, or an unknown suffix
    }
  }
  // What does not fit a signed 64-bit number is unsigned.
  if (n.bits >> 63 != 0) n.is_unsigned = true;
  return n;
}

// One character or escape; advances `at`.
std::uint64_t character_at(std::string_view s, std::size_t& at) {
  char c = s[at++];
  if (c != '\\' || at >= s.size()) return static_cast<std::uint64_t>(static_cast<signed char>(c));
  char e = s[at++];
  std::uint64_t n = 0;
  switch (e) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'v': return '\v';
    case 'x':
      while (at < s.size() && digit_of(s[at]) < 16)
        n = n * 16 + static_cast<unsigned>(digit_of(s[at++]));
      return n;
    default: break;
  }
  if (digit_of(e) >= 8) return static_cast<unsigned char>(e);
  n = static_cast<unsigned>(digit_of(e));
  for (int i = 0; i < 2 && at < s.size() && digit_of(s[at]) < 8; ++i) {
    n = n * 8 + static_cast<unsigned>(digit_of(s[at++]));
  }
  return n;
}

Number character(std::string_view s, bool& syntax) {
  std::size_t open = s.find('\'');
  if (open == std::string_view::npos || s.size() < open + 3 || s.back() != '\'') {
    syntax = false;
    return {};
  }
  s = s.substr(open + 1, s.size() - open - 2);
  Number n;
  std::size_t at = 0, count = 0;
  while (at < s.size()) {
    std::uint64_t c = character_at(s, at);
    n.bits =
        ++count == 1 ? c : (n.bits << 8 | (c & 0xff));  // several characters: as GCC packs them
  }
  return n;
}

}  // namespace

Number literal(const Token& token, bool& syntax) {
  std::string_view s = token.text.text();
  return token.kind == TokenKind::character ? character(s, syntax) : integer(s, syntax);
}

}  // namespace ungate::cuda
