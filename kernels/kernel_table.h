// The kernels of a build, by what they were instantiated for.
#pragma once

#include "call.h"

namespace arf {

// What follows the sum: nothing, residual and norm, or these and a quantiser.
enum Epilogue { kPlain, kNorm, kQuantised };

struct KernelKey {
  int dtype;      // arf_dtype
  int algorithm;  // arf_algorithm
  int world;      // 2, 4, 8
  int packs;      // a thread: 1, 2
  int epilogue;   // Epilogue
};

// The kernel's entry for cudaLaunchKernelExC, or null if the build has none.
const void* find_kernel(const KernelKey& key);

// The kernel that finishes rows whose sum is made already; epilogue is kNorm or kQuantised.
const void* find_finish(int dtype, int packs, int epilogue);

// What sums the experts of patterns 6 and 7.
const void* find_moe(int dtype);

// Most threads of a block of any kernel.
constexpr int kMaxThreads = 512;

}  // namespace arf
