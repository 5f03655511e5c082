// The conditions around a place of Python (internal).
#pragma once

#include "python/ast.h"
#include "source/source_file.h"

namespace ungate::gate {

// The outermost `and` or `or` that holds a place; 0 if there is none.
python::NodeId condition_around(const python::Tree& tree, source::Range place);
// The innermost `and` that holds it; 0 if there is none.
python::NodeId conjunction_around(const python::Tree& tree, source::Range place);

// The test of the innermost `if` whose body holds a place; 0 if there is none.
python::NodeId test_around(const python::Tree& tree, source::Range place);

// The innermost block that holds a place; 0 if there is none.
python::NodeId block_around(const python::Tree& tree, source::Range place);

// What the innermost assignment that holds a place assigns to (its first target); 0 if there is none.
python::NodeId assigned_at(const python::Tree& tree, source::Range place);

// True if two arms give lists of the same items in another order: a preference, and nothing else.
bool only_order_differs(const python::Tree& tree, const source::SourceFile& file, python::NodeId a, python::NodeId b);

}  // namespace ungate::gate
