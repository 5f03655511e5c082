// Statements that do something without asking (internal).
#pragma once

#include <vector>

#include "python/ast.h"

namespace ungate::gate {

// Expressions, assignments and returns that stand in a block itself; no docstrings. Nothing of what is no block.
std::vector<python::NodeId> simple_statements(const python::Tree& tree, python::NodeId block);

// The block of the function that a tree of one function holds; 0 if it holds none.
python::NodeId body_of_function(const python::Tree& tree);

}  // namespace ungate::gate
