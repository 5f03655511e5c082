// The functions of host code as tokens, and what is written to their variables (internal).
#pragma once

#include <memory>
#include <unordered_map>

#include "cuda/blocks.h"
#include "cuda/host.h"

namespace ungate::cuda {

// `x = …`, `int x{…}`, `f(&x, …)`, `x(…)` of a constructor.
struct HostWrite {
  enum class Target : std::uint8_t {
    local,    // declared here, or filled in by a call
    assigned  // of a variable declared elsewhere, or a field
  };
  std::uint32_t at = 0;              // the lexeme of the name
  std::uint32_t begin = 0, end = 0;  // of the value; empty: a fact
  int item = -1;                     // of a tuple: auto [a, b] = …
  std::optional<HostFact> fact;
  Target target = Target::local;
  bool object = false;               // of a field named through an object: p.x = …
};

struct HostFunction {
  std::uint32_t file = 0;
  std::uint32_t function = kNone;  // of the file's structure; kNone: what stands outside of functions
  std::uint32_t body = 0;          // the lexeme of the brace that opens it
  Lexemes l;
  std::unique_ptr<Blocks> blocks;
  std::unordered_map<Symbol, std::vector<HostWrite>> writes;
  std::vector<Symbol> properties;  // variables that hold device properties
};

// The functions of a file that run on the host, and last what stands outside of all.
std::vector<HostFunction> host_functions(std::string_view text, const Directives& directives,
                                         const Structure& structure,
                                         const HostVocabulary& vocabulary);

// The '{' of the lambda that begins at i; 0: none does.
std::size_t lambda_body(const Lexemes& l, std::size_t i, std::size_t end);
// The lexeme after the statement that begins at i.
std::size_t after_statement(const Lexemes& l, std::size_t i, std::size_t end);
// The last name of the expression &a.b->c, or nothing.
std::string_view last_name(const Lexemes& l, std::size_t begin, std::size_t end);

bool has_piece(const std::vector<std::string>& pieces, std::string_view name);
bool is_one_of(const std::vector<std::string>& names, std::string_view name);

}  // namespace ungate::cuda
