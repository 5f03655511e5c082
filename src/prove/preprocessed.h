// Preprocessed texts, compared: is what the device compiler sees the same?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "prove/tree.h"

namespace ungate::prove {

// A piece of preprocessed text: a token, or a whole function that only runs on the host.
struct Piece {
  std::uint64_t hash = 0;      // of the token; of a function: of everything up to its body
  std::int32_t function = -1;  // of a host function: its number in Preprocessed::functions
  std::uint32_t file = 0;      // where it stands: Preprocessed::names
  std::uint32_t line = 0;
};

struct HostFunction {
  std::string name;
  std::uint64_t name_hash = 0;
  std::uint64_t body = 0;  // hash of its body
};

// What `nvcc -E` wrote, without white space, comments and line markers. Names of the tree stand for its
// paths.
struct Preprocessed {
  std::uint64_t hash = 0;            // of all tokens
  std::vector<std::string> files;    // that it was made of, by name, each once, sorted
  std::vector<std::string> names;    // the same, as Piece::file counts them
  std::vector<Piece> pieces;
  std::vector<HostFunction> functions;

  std::string where(const Piece& piece) const;  // "path:line", the path as Tree::name_of() gives it
};

// Functions count as the host's where that is certain: defined at namespace or class scope, not marked
// for the device, not constexpr, with no return type that the body decides, and nothing in the body
// that the device could see (lambdas marked for it, local classes).
Preprocessed read_preprocessed(std::string_view text, const Tree& tree);

struct Difference {
  bool tokens = false;  // any difference at all
  bool device = false;  // one that device code could see
  std::string where;    // of the first difference that device code could see: "path:line"
  // Host functions that differ, are new or are gone: "name (path:line)".
  std::vector<std::string> host;
};

// A host function that only one text has is no difference for the device if device code does not
// mention its name.
Difference compare(const Preprocessed& before, const Preprocessed& after);

}  // namespace ungate::prove
