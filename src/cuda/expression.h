// The arithmetic of preprocessor conditions, with values that may be unknown.
#pragma once

#include <cstdint>
#include <span>

#include "cuda/outcome.h"
#include "cuda/token.h"

namespace ungate::cuda {

struct Number {
  bool known = true;
  bool is_unsigned = false;  // the operands of an operator are unsigned if one of them is
  bool valid = true;  // false: no value (division by zero); harmless where it is not evaluated
  std::uint64_t bits = 0;
  FreeSet why;  // what an unknown value depends on
};

// Evaluates tokens in which every macro is expanded: identifiers are 0 (true and false as in C++),
// `unknown` tokens are unknown values, or calls with an unknown result when a '(' follows. C's
// precedence, the conditional and comma operators, 64-bit arithmetic. Unknown operands give an
// unknown result unless && or || is decided by the other side. `syntax` is false if it is no
// expression.
Number evaluate_expression(std::span<const Token> tokens, bool& syntax);

// Value of an integer or character literal.
Number literal(const Token& token, bool& syntax);

}  // namespace ungate::cuda
