// Instantiates all kernels of one number format; included by one .cu file a format so that they
// compile side by side.
#pragma once

#include "allreduce_hierarchical.cuh"
#include "allreduce_oneshot.cuh"
#include "allreduce_pull.cuh"
#include "allreduce_twoshot.cuh"
#include "kernel_table.h"

namespace arf {

template <class T, int N, int P, int E>
const void* kernel_of(const KernelKey& key) {
  if (key.algorithm == ARF_ONESHOT) return reinterpret_cast<const void*>(&oneshot<T, N, P, E>);
  if (key.algorithm == ARF_TWOSHOT) return reinterpret_cast<const void*>(&twoshot<T, N, P, E>);
  if (key.algorithm == ARF_PULL) return reinterpret_cast<const void*>(&pull<T, N, P, E>);
  if constexpr (N == 8)
    if (key.algorithm == ARF_HIERARCHICAL)
      return reinterpret_cast<const void*>(&hierarchical<T, N, P, E>);
  return nullptr;
}

template <class T, int N, int P>
const void* kernel_of(const KernelKey& key) {
  if (key.epilogue == kPlain) return kernel_of<T, N, P, kPlain>(key);
  if (key.epilogue == kNorm) return kernel_of<T, N, P, kNorm>(key);
  if constexpr (T::kPerPack == 8)
    if (key.epilogue == kQuantised) return kernel_of<T, N, P, kQuantised>(key);
  return nullptr;
}

template <class T, int N>
const void* kernel_of(const KernelKey& key) {
  if (key.packs == 1) return kernel_of<T, N, 1>(key);
  if (key.packs == 2) return kernel_of<T, N, 2>(key);
  return nullptr;
}

template <class T>
const void* kernel_of(const KernelKey& key) {
  if (key.world == 2) return kernel_of<T, 2>(key);
  if (key.world == 4) return kernel_of<T, 4>(key);
#ifndef ARF_FEW_KERNELS
  if (key.world == 8) return kernel_of<T, 8>(key);
#endif
  return nullptr;
}

}  // namespace arf
