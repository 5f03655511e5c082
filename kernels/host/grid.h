// From a checked call to the launch of a kernel.
#pragma once

#include <cuda_runtime_api.h>

#include "call.h"

namespace arf {

// 16-byte packs.
int packs_of_row(const arf_params& p);

// Threads of a block when `cluster` blocks of `packs` packs a thread share a row of packs_of_row.
int threads_for(int packs_of_row, int cluster, int packs);

// Whether such blocks are what the kernels are made for; `major` of the device's capability.
bool can_split(int packs_of_row, int cluster, int packs, int major);

// What a call's parameters say to a kernel; nothing of ranks.
Call call_of(const arf_params& p);

struct Grid {
  const void* kernel = nullptr;
  int units = 0, cluster = 1, threads = 0;
};

// `early`: the kernel may start before the one ahead of it in the stream has ended.
int launch(const Grid& grid, bool early, Call& call, cudaStream_t stream);

}  // namespace arf
