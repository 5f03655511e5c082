// Small helpers for text. All sizes are bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ungate::text {

std::string_view trim(std::string_view s);
std::vector<std::string_view> split(std::string_view s, char separator);
// Splits into lines without their ends ("\n" or "\r\n"); no empty last line for a final newline.
std::vector<std::string_view> lines(std::string_view s);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string replace_all(std::string s, std::string_view from, std::string_view to);
std::string lower(std::string_view s);

// Letters, '_' and everything that is not ASCII; a part may be a digit, too.
inline constexpr auto kIdentifierPart = [] {
  std::array<bool, 256> t{};
  for (unsigned c = 0; c < 256; ++c) {
    t[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9') || c >= 0x80;
  }
  return t;
}();
inline bool is_identifier_part(char c) { return kIdentifierPart[static_cast<unsigned char>(c)]; }
inline bool is_identifier_start(char c) { return is_identifier_part(c) && (c < '0' || c > '9'); }
// True if `word` occurs in `s` with no identifier character on either side.
bool contains_word(std::string_view s, std::string_view word);

// Text from an audited tree may hold terminal control sequences. Escapes control characters, bytes
// that are not UTF-8 and bidirectional overrides as \xNN or \u{N}; tabs and newlines become \t, \n.
std::string escape(std::string_view s);

// One line: runs of white space become one blank; cut to `limit` characters with "…".
std::string one_line(std::string_view s, std::size_t limit);

// Decimal integer of the whole text, or false.
bool parse_int(std::string_view s, std::int64_t& out);

// "1 file", "2 files".
std::string count(std::size_t n, std::string_view singular, std::string_view plural = {});

// '*' in a pattern matches anything; without one the pattern is the whole text.
bool fits(std::string_view pattern, std::string_view text);

}  // namespace ungate::text
