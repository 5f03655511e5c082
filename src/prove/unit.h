// Units of a module, and how they are compiled.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "arch/device.h"
#include "prove/compiler.h"
#include "prove/tree.h"

namespace ungate::prove {

struct Unit {
  std::string module;                  // "trtllm_comm"
  std::string source;                  // relative to an import root
  std::vector<std::string> folders;    // searched, in order; relative to an import root
  std::vector<std::string> flags;      // for nvcc, without folders and code targets
  bool is_cuda() const { return source.ends_with(".cu"); }
  bool operator==(const Unit&) const = default;
};

// What is asked of the compiler.
enum class Step { preprocess, ptx };

// The command; `output` is where the result goes (preprocessed text goes to stdout).
// Paths of the tree are replaced by their names in __FILE__, so that trees do not show in the result.
// `not_found` names a source or folder that the tree does not have.
Result<std::vector<std::string>> command_for(const Unit& unit, const Tree& tree, const Compiler& compiler,
                                             arch::CodeTarget target, Step step, const std::string& output,
                                             bool line_info = false);

// "compute_120a", "sm_120a".
std::string virtual_target(arch::CodeTarget target);

// Assembles PTX, with what the unit's flags pass on to the assembler; its messages tell registers and spills.
std::vector<std::string> assemble_command(const Unit& unit, const Compiler& compiler, arch::CodeTarget target,
                                          const std::string& ptx, const std::string& cubin);

}  // namespace ungate::prove
