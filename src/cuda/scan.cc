#include "cuda/scan.h"

#include <cstring>

#include "base/text.h"

namespace ungate::cuda {
namespace {

// The identifier or number that ends just before `at`.
std::string_view word_before(std::string_view s, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && at - begin < 64 && text::is_identifier_part(s[begin - 1])) --begin;
  return s.substr(begin, at - begin);
}

}  // namespace

std::size_t splice_at_backslash(std::string_view s, std::size_t at) {
  std::size_t end = at + 1;
  while (end < s.size() && is_blank(s[end])) ++end;
  return end < s.size() && s[end] == '\n' ? end + 1 - at : 0;
}

bool is_spliced(std::string_view s, std::size_t at) {
  while (at > 0 && is_blank(s[at - 1])) --at;
  return at > 0 && s[at - 1] == '\\';
}

std::size_t after_quoted(std::string_view s, std::size_t at) {
  char quote = s[at];
  for (std::size_t i = at + 1; i < s.size(); ++i) {
    char c = s[i];
    if (c == quote) return i + 1;
    if (c == '\n') return i;
    if (c != '\\') continue;
    if (std::size_t n = splice_length(s, i); n != 0) {
      i += n - 1;
    } else {
      ++i;  // an escape
    }
  }
  return s.size();
}

bool opens_raw_string(std::string_view s, std::size_t at) {
  if (at == 0 || s[at] != '"' || s[at - 1] != 'R') return false;
  std::string_view word = word_before(s, at);
  return word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
}

std::size_t after_raw_string(std::string_view s, std::size_t at, bool& terminated) {
  constexpr std::size_t kLongestDelimiter = 16;
  terminated = false;
  std::size_t open = s.substr(0, at + kLongestDelimiter + 2).find('(', at);
  if (open == std::string_view::npos) return after_quoted(s, at);  // not a raw string after all
  char closing[kLongestDelimiter + 2];
  std::size_t n = 0;
  closing[n++] = ')';
  for (std::size_t i = at + 1; i < open; ++i) {
    if (is_blank(s[i]) || s[i] == '\n' || s[i] == '\\' || s[i] == '"') return after_quoted(s, at);
    closing[n++] = s[i];
  }
  closing[n++] = '"';
  std::size_t end = s.find(std::string_view(closing, n), open);
  if (end == std::string_view::npos) return s.size();
  terminated = true;
  return end + n;
}

std::size_t after_number(std::string_view s, std::size_t at) {
  while (++at < s.size()) {
    char c = s[at], last = s[at - 1];
    bool exponent =
        (c == '+' || c == '-') && (last == 'e' || last == 'E' || last == 'p' || last == 'P');
    bool separator = c == '\'' && at + 1 < s.size() && text::is_identifier_part(s[at + 1]);
    if (!text::is_identifier_part(c) && c != '.' && !exponent && !separator) return at;
  }
  return at;
}

bool separates_digits(std::string_view s, std::size_t at) {
  if (at + 1 >= s.size() || !text::is_identifier_part(s[at + 1])) return false;
  std::size_t begin = at;
  while (begin > 0 && at - begin < 64 &&
         (text::is_identifier_part(s[begin - 1]) || s[begin - 1] == '\'' || s[begin - 1] == '.')) {
    --begin;
  }
  return begin < at && is_digit(s[begin]);
}

std::size_t end_of_line_comment(std::string_view s, std::size_t at) {
  for (;;) {
    const void* found = at < s.size() ? std::memchr(s.data() + at, '\n', s.size() - at) : nullptr;
    if (found == nullptr) return s.size();
    at = static_cast<std::size_t>(static_cast<const char*>(found) - s.data());
    if (!is_spliced(s, at)) return at;
    ++at;
  }
}

std::size_t after_block_comment(std::string_view s, std::size_t at, bool& terminated) {
  at += 2;
  while (at < s.size()) {
    const void* found = std::memchr(s.data() + at, '*', s.size() - at);
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - s.data()) + 1;
    if (at < s.size() && s[at] == '/') {
      terminated = true;
      return at + 1;
    }
  }
  terminated = false;
  return s.size();
}

}  // namespace ungate::cuda
