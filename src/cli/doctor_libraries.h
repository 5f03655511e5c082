// Copies of the CUDA libraries that programs load at run time, and what Triton compiles with.
#pragma once

#include <string>
#include <vector>

#include "arch/device.h"
#include "cli/machine.h"
#include "package/environment.h"

namespace ungate::cli {

struct LibraryCopy {
  std::string name;      // "NCCL", "NVRTC", "CUDA driver", "CUDA runtime"
  std::string path;      // links resolved
  std::string found_by;  // "LD_LIBRARY_PATH", "nvidia-nccl-cu12 2.29.3", "system"
  std::string version;   // as its package or file name says; empty: neither does
};

// By name; of each first those that LD_LIBRARY_PATH puts in front, then those of the environments'
// packages, then the system's. Nothing is loaded. Each file once.
std::vector<LibraryCopy> find_library_copies(const std::vector<package::Environment>& environments);

// The assembler that Triton will use where it is installed, and whether it knows the targets: that
// of TRITON_PTXAS_PATH, else its own; one on PATH does not count. Empty without Triton.
std::vector<std::string> triton_assembler(const std::vector<Toolchain>& toolchains,
                                          const std::vector<arch::Device>& targets);

}  // namespace ungate::cli
