// A rank's input to the allreduce after a layer of experts: what its experts gave a token, weighted
// and summed. Written to memory, so that every algorithm finds it where an input lies.
//
// The rounding points are those of today's callers: every product and every sum is rounded to T.
#pragma once

#include "epilogue.cuh"
#include "wait.cuh"

namespace arf {

struct MoeCall {
  const void *experts, *scales, *shared;
  const int32_t* rows;  // null: expert e's token t is row e * tokens + t
  void* out;
  uint32_t tokens, packs, count;
  float routed_scale;
};

template <class T>
__device__ __forceinline__ float scale_at(const void* scales, uint64_t i) {
  if constexpr (T::kPerPack == 4) {
    return static_cast<const float*>(scales)[i];
  } else {
    float v[2];
    T::unpack_word(static_cast<const uint16_t*>(scales)[i], v);
    return v[0];
  }
}

template <class T>
__device__ __forceinline__ Pack times(const Pack& a, float by) {
  float x[T::kPerPack];
  unpack<T>(a, x);
#pragma unroll
  for (int i = 0; i < T::kPerPack; i++) x[i] = __fmul_rn(x[i], by);
  return pack<T>(x);
}

template <class T>
__global__ void __launch_bounds__(256) moe_input(const __grid_constant__ MoeCall c) {
  wait_for_kernel_ahead();
  allow_next_kernel();
  for (uint32_t row = blockIdx.x; row < c.tokens; row += gridDim.x)
    for (uint32_t column = threadIdx.x; column < c.packs; column += blockDim.x) {
      Pack sum{0, 0, 0, 0};
      for (uint32_t k = 0; k < c.count; k++) {
        float scale = 1;
        int64_t from = static_cast<int64_t>(k) * c.tokens + row;
        if (c.rows != nullptr) {
          const uint64_t at = static_cast<uint64_t>(row) * c.count + k;
          from = c.rows[at];
          if (from < 0) continue;
          if (c.scales != nullptr) scale = scale_at<T>(c.scales, at);
        } else {
          scale = static_cast<const float*>(c.scales)[from];
        }
        const Pack x = static_cast<const Pack*>(c.experts)[from * c.packs + column];
        sum = add<T>(sum, times<T>(x, scale));
      }
      const uint64_t at = static_cast<uint64_t>(row) * c.packs + column;
      if (c.routed_scale != 1.0f) sum = times<T>(sum, c.routed_scale);
      if (c.shared != nullptr) sum = add<T>(sum, static_cast<const Pack*>(c.shared)[at]);
      static_cast<Pack*>(c.out)[at] = sum;
    }
}

}  // namespace arf
