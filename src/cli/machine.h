// What is on this machine that commands, and the packages themselves, need: compilers, libraries,
// caches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/device.h"
#include "package/environment.h"
#include "patch/caches.h"

namespace ungate::cli {

// A compiler or assembler for device code.
struct Toolchain {
  std::string program;  // "nvcc", "ptxas"
  std::string path;
  std::string found_by;              // "CUDA_HOME", "PATH", "pip", "Triton"
  std::string version;               // "13.0.88"; empty: it could not be asked
  std::vector<std::string> targets;  // code targets that it knows: "sm_120", …; empty: not asked
};

// The assembler of TRITON_PTXAS_PATH, which Triton takes instead of its own; nvcc and ptxas of
// CUDA_HOME, CUDA_PATH, PATH and /usr/local/cuda, then those of pip packages in the sites, then Triton's
// own ptxas. Each path once, links resolved.
std::vector<Toolchain> find_toolchains(const std::vector<package::Environment>& environments);

// Whether one of its targets runs on the device.
bool knows(const Toolchain& toolchain, arch::Device device);
// "set TRITON_PTXAS_PATH=…": the first ptxas among them that knows it, or where to get one.
std::string ptxas_advice(const std::vector<Toolchain>& toolchains, arch::Device device);

struct Library {
  std::string path;     // empty: not found
  std::string version;  // "2.29.7", "clang version 19.1.7"
  std::string problem;  // why not
};
Library find_libclang();
// As the dynamic linker finds it, else the one of pip's nvidia packages in the sites.
Library find_nccl(const std::vector<package::Environment>& environments);

// A folder of a JIT cache, by the version and architectures in its name.
struct CacheUse {
  std::string rule, path;
  std::uint64_t files = 0, bytes = 0;
};
std::vector<CacheUse> find_cache_use(const std::vector<patch::CacheRule>& rules);

// "7.6 MB".
std::string size_text(std::uint64_t bytes);

}  // namespace ungate::cli
