// Statements that do something without asking, and the functions that they lead to (internal).
#pragma once

#include <vector>

#include "python/ast.h"
#include "python/evaluate.h"

namespace ungate::gate {

// Expressions, assignments and returns that stand in a block itself; no docstrings. Nothing of what is no block.
std::vector<python::NodeId> simple_statements(const python::Tree& tree, python::NodeId block);

// A block that raises, whatever else it does.
bool refuses(const python::Tree& tree, python::NodeId block);

// The arms of an if/elif chain that do not refuse.
struct ServingArms {
  std::vector<python::NodeId> blocks;
  bool has_else = false, last_refuses = false;   // what no test takes goes to an else, or is refused
};
ServingArms serving_arms(const python::Tree& tree, python::NodeId chain);

// The block of the function that a tree of one function holds; 0 if it holds none.
python::NodeId body_of_function(const python::Tree& tree);

// The functions that the names in a statement mean where it stands; names of its own function mean none.
std::vector<python::Place> functions_named(const python::Tree& tree, python::NodeId statement, python::ModuleId module,
                                           python::Evaluation& evaluation);

// Those that imports within the function itself bind: `from ops import multiply` in front of `multiply(a)`.
std::vector<python::Place> functions_imported_here(const python::Tree& tree, python::NodeId statement, python::ModuleId module,
                                                   python::Program& program);

// `@requires(common_check=check) def op(): …`: the functions of a module whose decorators are given a check.
std::vector<python::Place> functions_checked_by(std::string_view check, python::ModuleId module,
                                                const python::Program& program);

}  // namespace ungate::gate
