// Steps over the lexical elements of C++ that can hide others: comments, strings, raw strings, line
// splices. All functions take the whole text and an offset and give the offset after the element;
// none reads past the end, whatever the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ungate::cuda {

// Length of the line splice at a backslash: the backslash, perhaps blanks, a line end. 0: it is
// none.
std::size_t splice_at_backslash(std::string_view s, std::size_t at);
// The same at any offset.
inline std::size_t splice_length(std::string_view s, std::size_t at) {
  return at < s.size() && s[at] == '\\' ? splice_at_backslash(s, at) : 0;
}

// After the closing quote of the string or character literal whose opening quote is at `at`; an
// unterminated one ends before the line end.
std::size_t after_quoted(std::string_view s, std::size_t at);

// True if the quote at `at` opens a raw string (R"…, u8R"…).
bool opens_raw_string(std::string_view s, std::size_t at);
// After the raw string whose quote is at `at`; the end of the text if it is not terminated.
std::size_t after_raw_string(std::string_view s, std::size_t at, bool& terminated);

// After the preprocessing number that begins at `at` (1'000, 0x1p-3, 90a).
std::size_t after_number(std::string_view s, std::size_t at);

// True if the apostrophe at `at` separates digits (1'000'000).
bool separates_digits(std::string_view s, std::size_t at);

// The line end that ends the `//` comment at `at` (the comment goes on over a splice).
std::size_t end_of_line_comment(std::string_view s, std::size_t at);
// After the `*/` of the comment at `at`; the end of the text if it is not terminated.
std::size_t after_block_comment(std::string_view s, std::size_t at, bool& terminated);

// True if the line end at `at` (a '\n') is spliced away.
bool is_spliced(std::string_view s, std::size_t at);

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r';
}
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace ungate::cuda
