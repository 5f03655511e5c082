// Preprocessing tokens of a condition or a macro body.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/symbol.h"
#include "cuda/directives.h"
#include "source/source_file.h"

namespace ungate::cuda {

enum class TokenKind : std::uint8_t {
  identifier,
  number,
  character,
  string,
  punctuator,
  other,
  unknown  // made by expansion only: stands for a value that is not known; text names the macro
};

enum class Punct : std::uint8_t {
  none,
  open,
  close,
  comma,
  question,
  colon,
  not_,
  complement,
  plus,
  minus,
  star,
  slash,
  percent,
  shl,
  shr,
  lt,
  le,
  gt,
  ge,
  eq,
  ne,
  bit_and,
  bit_xor,
  bit_or,
  and_,
  or_,
  hash,
  paste,
  ellipsis,
  other
};

struct Token {
  TokenKind kind = TokenKind::other;
  Punct punct = Punct::none;
  bool space = false;          // white space stands before it
  bool painted = false;        // an identifier that must not be expanded any more
  Symbol text;                 // without line splices; of an alternative token (`and`) as spelled
  source::Range range;         // in the text it was read from
  std::uint32_t slot = kNone;  // of an identifier: its place in the macro table (see environment.h)
};

using Tokens = std::vector<Token>;

// Splits a range of a text into tokens. Comments and splices are white space, as in translation
// phases 2 and 3; C++'s alternative tokens (and, or, not, …) are punctuators. Never fails: a byte
// that starts no token becomes one of kind `other`.
Tokens tokenize(std::string_view text, source::Range range);
inline Tokens tokenize(std::string_view text) {
  return tokenize(text, {0, static_cast<std::uint32_t>(text.size())});
}

// The text of tokens, with a blank wherever white space stood.
std::string spell(std::span<const Token> tokens);

}  // namespace ungate::cuda
