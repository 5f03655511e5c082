// What a gate leads to, forwards (internal): from what its arm does without asking further, through the functions
// that are called there, to the builders of JIT modules.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "gate/item.h"
#include "gate/modules.h"

namespace ungate::gate {

class Forward {
 public:
  Forward(python::Program& program, python::Evaluation& evaluation, const std::vector<JitModule>& modules);

  // The modules that a Python gate's arm builds or calls into; for an early exit, what follows it does; for a
  // check that decorates others, what these do.
  std::set<std::size_t> from(const Item& item);

 private:
  using Modules = std::set<std::size_t>;
  const Modules& of_function(const python::Place& function, int depth);
  void of_statement(const python::Tree& tree, python::NodeId statement, python::ModuleId module, int depth, Modules& out);
  void of_rest(const Item& item, Modules& out);
  void of_checked(const Item& item, Modules& out);

  python::Program& program_;
  python::Evaluation& evaluation_;
  std::map<std::pair<python::ModuleId, std::uint32_t>, Modules> builders_;   // by where the function begins
  std::map<std::pair<python::ModuleId, std::uint32_t>, Modules> functions_;  // what was asked already
};

}  // namespace ungate::gate
