// Which nvcc: the one that the package itself would call, else one that is at hand.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "base/error.h"

namespace ungate::prove {

struct Compiler {
  std::string nvcc, ptxas;  // paths
  std::string found_by;     // "FLASHINFER_NVCC", "CUDA_HOME", "PATH", "pip", …
  std::string version;      // "13.0.88"
  int major = 0, minor = 0;
  arch::CodeTargetSet targets;  // that it compiles for
  // Headers of NVIDIA's libraries that it lacks and wheels of the environment have (cuBLAS, cuRAND, …).
  std::vector<std::string> library_folders;

  bool knows(arch::CodeTarget target) const { return targets.has(target.index()); }
  std::string name() const { return "nvcc " + version; }
};

using Variable = std::function<std::optional<std::string>(std::string_view name)>;
Variable process_variable();

// Looks at the variables that name an nvcc itself (`own`), CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda,
// then at NVIDIA's wheels in these site-packages folders. The first that answers is taken.
// `tool_missing` if there is none; the error holds the pip command that brings one.
Result<Compiler> find_compiler(const std::vector<std::string>& own, const std::vector<std::string>& sites,
                               const Variable& variable);

// The pip command that brings a whole compiler, 347 MB.
std::string pip_command();

}  // namespace ungate::prove
