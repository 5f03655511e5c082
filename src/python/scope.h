// Scopes of a tree: which names of a function are its own.
#pragma once

#include "python/ast.h"

namespace ungate::python {

// Fills Tree::scopes: every function, lambda and class body, and the piece itself, get a Scope, and each
// `name` node that denotes a variable of the scope it stands in gets number = slot + 1 (0: it does not).
// Comprehension variables are slots of the scope that holds the comprehension.
void resolve_scopes(Tree& tree);

}  // namespace ungate::python
