// Kernels written in Python (Triton, CuTe DSL, TileLang) that a gate leads to, and what a device lacks of what they
// are written with (internal).
//
// Followed are the functions and classes that an arm names in what it does without asking further, in the arms of
// a test of which every one leads there, and where something is made that is kept for the next call
// (`if key not in cache:`). A function with a decorator that makes a kernel of it is one, and so is a class or
// function that holds such a function. A function that describes JIT modules of which the device lacks something in
// any case is as good as one.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "gate/item.h"
#include "gate/knowledge.h"
#include "python/program.h"

namespace ungate::gate {

class PythonKernels {
 public:
  // What is in the way of each JIT module that a definition describes; empty: nothing, or it describes none.
  using InModules = std::function<std::vector<Evidence>(python::ModuleId, source::Range definition, arch::Device)>;

  PythonKernels(const Knowledge& knowledge, python::Program& program, InModules in_modules)
      : knowledge_(knowledge), program_(program), in_modules_(std::move(in_modules)) {}

  // What a kernel that the gate of a Python item leads to in any case is written with and the device lacks; empty:
  // nothing was found.
  std::vector<Evidence> lacking(const Item& item, arch::Device device);

 private:
  struct Place {
    const python::Tree& tree;
    python::ModuleId module;
    arch::Device device;
    int depth;
  };
  using Found = std::optional<Evidence>;

  Found in_block(const Place& p, python::NodeId block, std::uint32_t from = 0);
  Found in_statement(const Place& p, python::NodeId statement, std::uint32_t from);
  Found in_arms(const Place& p, python::NodeId chain);
  Found in_names(const Place& p, python::NodeId node);
  Found in_definition(const Place& p, python::NodeId definition);
  Found in_kernel(const Place& p, python::NodeId kernel) const;
  bool is_kernel(const Place& p, python::NodeId definition) const;

  const Knowledge& knowledge_;
  python::Program& program_;
  InModules in_modules_;
  std::map<std::tuple<python::ModuleId, std::uint32_t, unsigned>, Found> known_;   // of definitions, by where they begin
};

}  // namespace ungate::gate
