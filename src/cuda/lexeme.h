// The code of a file as tokens, without its preprocessor lines; where a conditional begins, changes
// arm or ends, a marker stands instead.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cuda/directives.h"

namespace ungate::cuda {

struct Lexeme {
  enum class Kind : std::uint8_t { identifier, number, string, character, punctuator, marker };
  Kind kind = Kind::punctuator;
  bool from_macro = false;  // stands in a macro's expansion; the range is that of the macro's use
  std::uint32_t begin = 0;  // offset in the file
  std::uint32_t end = 0;
  std::uint32_t index = kNone;  // of a marker: the directive; from a macro: whose (see launches.h)
  std::string_view text;

  bool is(std::string_view s) const {
    // Most are told apart by their length or first character.
    return text.size() == s.size() && text[0] == s[0] && kind != Kind::string &&
           (s.size() == 1 || text == s);
  }
  bool is_identifier() const { return kind == Kind::identifier; }
  source::Range range() const { return {begin, end}; }
};

using Lexemes = std::vector<Lexeme>;

// Punctuators are one character each, but for :: -> << >> && || == != <= >= ++ -- += -= and the
// launch brackets <<< and >>>.
Lexemes lex_code(std::string_view text, const Directives& directives);
// The same for a part that begins and ends where an arm or a function body does.
Lexemes lex_code(std::string_view text, const Directives& directives, source::Range part);
// The body of a macro; offsets are those of `text`.
Lexemes lex_range(std::string_view text, source::Range range);

// The lexeme after the bracket that closes the one at `at` ( ( [ { ), or `end`.
std::size_t after_brackets(const Lexemes& lexemes, std::size_t at, std::size_t end);
// The lexeme after the '>' that closes the template argument list whose '<' is at `at`; `at` itself
// if that is rather a comparison.
std::size_t after_angles(const Lexemes& lexemes, std::size_t at, std::size_t end);
// The '<' of the template argument list that ends just before `end`; `end` if there is none.
std::size_t angles_before(const Lexemes& lexemes, std::size_t begin, std::size_t end);

// The lexeme after `if constexpr (…) … else …`, or `at` itself if none begins there.
std::size_t after_constexpr(const Lexemes& lexemes, std::size_t at);

// The ranges [begin, end) of lexemes between the commas of a bracketed list, the brackets not
// included.
std::vector<std::pair<std::size_t, std::size_t>> split_arguments(const Lexemes& lexemes,
                                                                 std::size_t begin,
                                                                 std::size_t end);

// The text of a range of lexemes, one blank between words.
std::string spell(const Lexemes& lexemes, std::size_t begin, std::size_t end);

}  // namespace ungate::cuda
