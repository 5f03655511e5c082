// The macros that nvcc itself defines, per code target, as measured with nvcc 13.0 (and compared
// with the installed nvcc by tests/unit/cuda).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "arch/device.h"
#include "value/free.h"

namespace ungate::cuda {

// nvcc preprocesses a unit once for each code target and once for the host.
enum class Pass : std::uint8_t {
  device,  // __CUDA_ARCH__ and the feature macros are defined
  host,    // nvcc's host pass: __CUDACC__, but no __CUDA_ARCH__
  plain    // a host compiler alone: neither
};

// What a macro is before the first line of a unit.
struct Predefined {
  bool defined = false;
  bool takes_n = false;  // function-like, with one parameter N
  std::string body;
};

// True for __CUDA_ARCH__ and the feature macros: the names whose value depends on the code target.
bool depends_on_target(std::string_view macro);

// The state of `macro` for one code target; nothing if nvcc has no say in it. In the device pass:
//   sm_NNN    __CUDA_ARCH__ = NNN0
//   sm_NNNa   also __CUDA_ARCH_FEAT_SMNNN_ALL = 1, __CUDA_ARCH_SPECIFIC__ = NNN0,
//             __CUDA_ARCH_FAMILY_SPECIFIC__ = NNN0
//   sm_NNNf   also __CUDA_ARCH_FAMILY_SPECIFIC__ = NNN0
// and in both passes of nvcc __CUDACC__ and __NVCC__. The tests __CUDA_HAS_ARCH_SPECIFIC(N) and
// __CUDA_HAS_ARCH_FAMILY_SPECIFIC(N) come from the header that nvcc includes before the first line.
std::optional<Predefined> predefined(std::string_view macro, arch::CodeTarget target, Pass pass);

// True for macros that count as not defined where no text, no -D and no world says anything of
// them. For units whose -D are all known this can be every name that the headers out of reach do
// not define; without it such a macro is free.
using Absent = std::function<bool(std::string_view macro)>;

// Adds what follows from a toolkit version (CUDA_VERSION, CUDART_VERSION, __CUDACC_VER_MAJOR__, …).
void assume_toolkit(value::World& world, int major, int minor, const std::string& origin);
// Adds what follows from "nvcc with GCC on Linux": other compilers' and platforms' macros are
// absent.
void assume_linux_gcc(value::World& world, const std::string& origin);

}  // namespace ungate::cuda
