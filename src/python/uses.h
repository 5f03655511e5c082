// Where a name stands in a file's text, read without cutting the file into statements: what callers are
// looked for by, in thousands of files.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/symbol.h"

namespace ungate::python {

struct Use {
  std::uint32_t begin = 0;
  bool defines = false;    // after `def`
  bool keyword = false;    // before a single `=`: a keyword argument or an assignment
  bool attribute = false;  // after a dot
  Symbol base;             // of an attribute: the identifier before the dot; empty after anything else
  bool operator==(const Use&) const = default;
};

// Every place where the name stands by itself, strings and comments included.
std::vector<Use> uses_in(std::string_view text, std::string_view name);

}  // namespace ungate::python
