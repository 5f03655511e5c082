// NCCL, loaded at run time: what sums where the kernels of this library are not the fastest.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace arf {

struct NcclApi {
  int (*all_reduce)(const void*, void*, size_t, int, int, void*, cudaStream_t) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*count)(const void*, int*) = nullptr;
  int (*user_rank)(const void*, int*) = nullptr;

  // Of `name`, or, with null, of libnccl.so.2. False if there is none.
  bool load(const char* name);
  // Enqueues the sum of `elements` of an arf_dtype; ARF_OK or ARF_ERR_NCCL.
  int sum(const void* in, void* out, size_t elements, int dtype, void* comm,
          cudaStream_t stream) const;
};

}  // namespace arf
