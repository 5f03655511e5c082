// Where a name stands in a file's text, read without cutting the file into statements: what callers are
// looked for by, in thousands of files.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/symbol.h"
#include "python/outline.h"

namespace ungate::python {

struct Use {
  std::uint32_t begin = 0;
  bool defines = false;    // after `def`
  bool keyword = false;    // before a single `=`: a keyword argument or an assignment
  bool attribute = false;  // after a dot
  bool binding = false;    // what follows leaves it open that the name is bound here by something but `def`
  Symbol base;             // of an attribute: the identifier before the dot; empty after anything else
  bool own = false;        // set by resolvable(): it can only mean a function that this file defines
};

// Every place where the name stands by itself, strings and comments included.
std::vector<Use> uses_in(std::string_view text, std::string_view name);

struct Outsiders {
  bool package = false;                            // the file is an __init__.py: submodules are names there
  const std::unordered_set<Symbol>* made = nullptr;  // names that packages make when they start
};

// Of the uses of a name in a file those in code, other than definitions, keywords and imports, whose name or
// base the module binds or gets from elsewhere: of the others it is sure that they resolve to nothing known.
// Those marked as the file's own need not be code.
std::vector<Use> resolvable(std::string_view text, Symbol name, const std::vector<Use>& uses, const Outsiders& outsiders);

// The logical line that holds an offset; null between lines (comments, blank lines).
const LogicalLine* line_at(const Outline& outline, std::uint32_t offset);
// True if text[at] stands outside strings and comments of the logical line that begins at `begin`.
bool stands_in_code(std::string_view text, std::size_t begin, std::size_t at);

}  // namespace ungate::python
