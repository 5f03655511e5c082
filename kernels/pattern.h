// What the patterns do after the norm. Host and device.
#pragma once

#include <cstdint>

#include "arf.h"

#ifdef __CUDACC__
#define ARF_BOTH __host__ __device__
#else
#define ARF_BOTH
#endif

namespace arf {

enum Quantiser : int {
  kNotQuantised,
  kFp8Static,  // e4m3, the tensor's scale given
  kFp4,        // NVFP4: e2m1, an e4m3 scale for 16 elements
  kFp8Group,   // e4m3, a power-of-two scale for a group of elements
  kFp8Token    // e4m3, an fp32 scale for a row
};

constexpr Quantiser quantiser_of(int pattern) {
  switch (pattern) {
    case ARF_RESIDUAL_RMSNORM_FP8:
    case ARF_RESIDUAL_RMSNORM_OUT_FP8:
      return kFp8Static;
    case ARF_RESIDUAL_RMSNORM_FP4:
    case ARF_RESIDUAL_RMSNORM_OUT_FP4:
      return kFp4;
    case ARF_RESIDUAL_RMSNORM_GROUP_FP8:
    case ARF_RESIDUAL_RMSNORM_OUT_GROUP_FP8:
      return kFp8Group;
    case ARF_RESIDUAL_RMSNORM_TOKEN_FP8:
    case ARF_RESIDUAL_RMSNORM_OUT_TOKEN_FP8:
      return kFp8Token;
    default:
      return kNotQuantised;
  }
}

constexpr bool is_moe(int pattern) {
  return pattern == ARF_MOE_REDUCTION || pattern == ARF_MOE_FINALIZE;
}

constexpr bool gives_norm(int pattern) {
  return pattern == ARF_RESIDUAL_RMSNORM || is_moe(pattern) ||
         pattern == ARF_RESIDUAL_RMSNORM_OUT_FP8 || pattern == ARF_RESIDUAL_RMSNORM_OUT_FP4 ||
         pattern == ARF_RESIDUAL_RMSNORM_OUT_GROUP_FP8 ||
         pattern == ARF_RESIDUAL_RMSNORM_OUT_TOKEN_FP8;
}

constexpr bool is_pattern(int pattern) {
  return pattern == ARF_ALLREDUCE || gives_norm(pattern) || quantiser_of(pattern) != kNotQuantised;
}

ARF_BOTH constexpr uint64_t round_up(uint64_t n, uint64_t to) {
  return (n + to - 1) / to * to;
}

// Bytes of a call's quantised tensor (of 16-bit inputs) and of its scales.
constexpr uint64_t quant_bytes(int pattern, uint64_t tokens, uint64_t hidden) {
  const Quantiser q = quantiser_of(pattern);
  return q == kNotQuantised ? 0 : q == kFp4 ? tokens * hidden / 2 : tokens * hidden;
}

constexpr uint64_t scale_bytes(int pattern, uint64_t tokens, uint64_t hidden, int layout,
                               int group_size) {
  switch (quantiser_of(pattern)) {
    case kFp4:
      return layout == ARF_SCALES_LINEAR ? tokens * (hidden / 16)
                                         : round_up(tokens, 128) * round_up(hidden / 16, 4);
    case kFp8Group:
      // The last column of words ends with the last token.
      return 4 * (tokens +
                  ((hidden / static_cast<uint64_t>(group_size) + 3) / 4 - 1) * round_up(tokens, 4));
    case kFp8Token:
      return 4 * tokens;
    default:
      return 0;
  }
}

// Where the scale of a row's k-th block of 16 elements lies in ARF_SCALES_SWIZZLED_128X4, `blocks`
// to a row.
ARF_BOTH constexpr uint64_t swizzled_at(uint64_t row, uint64_t k, uint64_t blocks) {
  return row / 128 * (round_up(blocks, 4) * 128) + k / 4 * 512 + row % 32 * 16 +
         row % 128 / 32 * 4 + k % 4;
}

}  // namespace arf
