// What the tokens before a '{' outside of functions declare.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cuda/lexeme.h"
#include "cuda/structure.h"

namespace ungate::cuda {

// Indices of lexemes: those of one declaration need not be neighbours, since a conditional may
// stand in the middle of it.
using LexemeList = std::vector<std::size_t>;

struct Declaration {
  enum class Kind : std::uint8_t {
    transparent,  // namespace, extern "C", or a brace after nothing that is understood
    type,         // class, struct, union
    function,
    member_init,  // the braces of a member in a constructor's initializer list
    other         // enum, initializer, …: nothing of interest inside
  };
  Kind kind = Kind::transparent;
  std::string name;   // of a namespace, type or function, as written: "a::b", "X<T>::f"
  Function function;  // without body, qualified name and enclosing scopes
};

Declaration classify(const Lexemes& lexemes, const LexemeList& tokens,
                     const Vocabulary& vocabulary);

}  // namespace ungate::cuda
