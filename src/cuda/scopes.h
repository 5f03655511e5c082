// Finds the functions of a file by following its braces.
#pragma once

#include "cuda/declaration.h"
#include "cuda/lexeme.h"
#include "cuda/structure.h"

namespace ungate::cuda {

// Fills in `functions` and `recovered`. body_lexemes[i] is the range of lexemes of function i's
// body, braces included.
struct ScopedFunctions {
  std::vector<Function> functions;
  std::vector<std::pair<std::size_t, std::size_t>> body_lexemes;
  std::vector<source::Range> recovered;
};

ScopedFunctions find_functions(std::string_view text, const Lexemes& lexemes,
                               const Directives& directives, const Vocabulary& vocabulary);

}  // namespace ungate::cuda
