// What follows a sum that somebody else has made (NCCL, where ranks cannot use the kernels of this
// library): residual, RMSNorm and quantiser of rows that lie in this device. For the same sums the
// outputs are the bits that the fused kernels give.
#pragma once

#include "epilogue.cuh"
#include "wait.cuh"

namespace arf {

template <class T, int P, int E>
__global__ void __launch_bounds__(kMaxThreads) finish_rows(const __grid_constant__ Call c) {
  __shared__ FinishMemory<P, E> memory;
  fetch_parameters(c);
  const Place place;
  Finish<T, P, E> finish(c, place, memory);
  wait_for_kernel_ahead();
  allow_next_kernel();
  finish.ready();
  for (uint32_t row = place.unit; row < c.tokens; row += place.units) {
    Pack x[P], residual[P];
#pragma unroll
    for (int j = 0; j < P; j++) {
      const uint32_t column = place.column(j, P);
      x[j] = {0, 0, 0, 0};
      if (column < c.packs)
        x[j] = static_cast<const Pack*>(c.in)[static_cast<uint64_t>(row) * c.packs + column];
    }
    finish.load(row, residual);
    finish(row, x, residual);
  }
}

}  // namespace arf
