// From text to syntax tree, with tree-sitter.
#pragma once

#include <string_view>

#include "python/ast.h"

namespace ungate::python {

// Parses text[range], which is one or more whole statements at one level of indentation (they may be
// indented). Ranges in the tree are offsets in `text`. Text that the grammar does not know becomes
// `error` nodes and sets has_errors; the rest is read. Thread safe.
Tree parse(std::string_view text, source::Range range);

}  // namespace ungate::python
