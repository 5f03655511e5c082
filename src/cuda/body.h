// What stands in the code of a file, apart from launches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuda/lexeme.h"
#include "cuda/structure.h"

namespace ungate::cuda {

// owner[i]: the function whose body holds lexeme i, or kNone. Fills in calls, assembly, shared,
// exports, constexpr_ifs and target_macros.
void read_code(const Lexemes& lexemes, const std::vector<std::uint32_t>& owner,
               const Vocabulary& vocabulary, Structure& out);

// One of them: the export, or the declaration of shared memory, that begins at lexeme i.
void read_export(const Lexemes& lexemes, std::size_t i, const Vocabulary& vocabulary,
                 Structure& out);
void read_shared(const Lexemes& lexemes, std::size_t i, std::uint32_t function, Structure& out);

// True for words that stand before a parenthesis without being called.
bool is_keyword(std::string_view word);

// The function that an expression names: `&a::f<T>`, `(void*)f`, `reinterpret_cast<void*>(&f)`.
// Empty if it is no such expression.
std::string_view named_function(const Lexemes& lexemes, std::size_t begin, std::size_t end);

// Appends what a string literal stands for to `out`; a tab becomes a blank.
void append_string(std::string_view literal, std::string& out);

// The instructions of the text of an asm statement.
std::vector<Symbol> mnemonics(std::string_view assembly);

}  // namespace ungate::cuda
