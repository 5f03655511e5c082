// What happens to a row's sum: residual, RMSNorm, stores. The rounding points are those of the
// callers' present kernels: the sum is rounded to T, sum + residual is rounded to T, the norm is
// computed in fp32 from the rounded values and rounded to T, and what is quantised is the rounded
// norm.
#pragma once

#include "call.h"
#include "format.cuh"
#include "kernel_table.h"
#include "pattern.h"
#include "quantise.cuh"
#include "row_sum.cuh"

namespace arf {

template <class T>
__device__ __forceinline__ Pack add(const Pack& a, const Pack& b) {
  float x[T::kPerPack], y[T::kPerPack];
  unpack<T>(a, x);
  unpack<T>(b, y);
#pragma unroll
  for (int i = 0; i < T::kPerPack; i++) x[i] = __fadd_rn(x[i], y[i]);
  return pack<T>(x);
}

template <class T>
__device__ __forceinline__ float sum_of_squares(const Pack& a) {
  float x[T::kPerPack];
  unpack<T>(a, x);
  float even = x[0] * x[0], odd = x[1] * x[1];
#pragma unroll
  for (int i = 2; i < T::kPerPack; i += 2) {
    even = __fmaf_rn(x[i], x[i], even);
    odd = __fmaf_rn(x[i + 1], x[i + 1], odd);
  }
  return even + odd;
}

template <class T>
__device__ __forceinline__ Pack normalised(const Pack& h, const Pack& gamma, float scale,
                                           float weight_bias) {
  float x[T::kPerPack], g[T::kPerPack];
  unpack<T>(h, x);
  unpack<T>(gamma, g);
#pragma unroll
  for (int i = 0; i < T::kPerPack; i++)
    x[i] = __fmul_rn(__fmul_rn(x[i], scale), __fadd_rn(weight_bias, g[i]));
  return pack<T>(x);
}

// Where registers are scarce, gamma lies here; every thread reads only what it wrote.
template <int P, int E>
struct FinishMemory {
  Pack gamma[E == kQuantised ? P : 1][E == kQuantised ? kMaxThreads : 1];
  RowSumMemory sum;
};

// Finishes rows. Holds what is the same for every row.
template <class T, int P, int E>
class Finish {
 public:
  // May run before the kernel ahead has ended: gamma is a weight.
  __device__ __forceinline__ Finish(const Call& c, const Place& place, FinishMemory<P, E>& memory)
      : c_(c), place_(place), memory_(memory), sum_(memory.sum, place) {
    if constexpr (E != kPlain)
#pragma unroll
      for (int j = 0; j < P; j++) {
        const uint32_t column = place.column(j, P);
        if (column >= c.packs) continue;
        gamma_[j] = static_cast<const Pack*>(c.gamma)[column];
        if constexpr (E == kQuantised) memory.gamma[j][threadIdx.x] = gamma_[j];
      }
  }

  // All threads, once, after the kernel ahead has ended and before the first row is finished.
  __device__ __forceinline__ void ready() {
    sum_.ready();
    if constexpr (E == kQuantised) {
      if (c_.quantiser == kFp8Static) factor_ = __fdiv_rn(1.0f, *c_.scale_factor);
      if (c_.quantiser == kFp4) factor_ = *c_.scale_factor;
      pad_scales();
    }
  }

  // The residual of a row, to be handed to operator() later.
  __device__ __forceinline__ void load(uint32_t row, Pack (&residual)[P]) const {
    if constexpr (E != kPlain)
#pragma unroll
      for (int j = 0; j < P; j++) {
        const uint32_t column = place_.column(j, P);
        if (column < c_.packs)
          residual[j] = static_cast<const Pack*>(c_.residual_in)[at(row, column)];
      }
  }

  // x: the sums of this thread's packs, all NaN if they did not come. Afterwards every thread of
  // the row has been here.
  __device__ __forceinline__ void operator()(uint32_t row, Pack (&x)[P],
                                             const Pack (&residual)[P]) {
    float squares[P];
    if constexpr (E == kPlain) {
#pragma unroll
      for (int j = 0; j < P; j++) {
        const uint32_t column = place_.column(j, P);
        if (column < c_.packs) static_cast<Pack*>(c_.out)[at(row, column)] = x[j];
        squares[j] = 0;
      }
      sum_(squares);
    } else {
#pragma unroll
      for (int j = 0; j < P; j++) {
        const uint32_t column = place_.column(j, P);
        squares[j] = 0;
        if (column < c_.packs) {
          x[j] = add<T>(x[j], residual[j]);
          squares[j] = sum_of_squares<T>(x[j]);
          static_cast<Pack*>(c_.residual_out)[at(row, column)] = x[j];
        }
      }
      const float scale = rsqrtf(__fmaf_rn(sum_(squares), c_.inverse_hidden, c_.eps));
#pragma unroll
      for (int j = 0; j < P; j++) {
        const uint32_t column = place_.column(j, P);
        if (column >= c_.packs) {
          x[j] = {0, 0, 0, 0};
          continue;
        }
        if constexpr (E == kQuantised) gamma_[j] = memory_.gamma[j][threadIdx.x];
        x[j] = normalised<T>(x[j], gamma_[j], scale, c_.weight_bias);
        if (E == kNorm || c_.norm_out != nullptr)
          static_cast<Pack*>(c_.norm_out)[at(row, column)] = x[j];
      }
      if constexpr (E == kQuantised) quantise(row, x);
    }
  }

 private:
  // The quantiser is the same for all threads of the grid.
  __device__ __forceinline__ void quantise(uint32_t row, const Pack (&x)[P]) {
    float row_scale = 0;
    if (c_.quantiser == kFp8Token) {
      uint32_t most[P];
#pragma unroll
      for (int j = 0; j < P; j++) most[j] = magnitude(x[j]);
      row_scale = token_scale(value_of<T>(sum_.most(most)));
      if (place_.block == 0 && threadIdx.x == 0) static_cast<float*>(c_.scale_out)[row] = row_scale;
    }
#pragma unroll
    for (int j = 0; j < P; j++) {
      const uint32_t column = place_.column(j, P);
      float v[8];
      unpack<T>(x[j], v);
      if (c_.quantiser == kFp4) {
        quantise_fp4(row, column, x[j], v);
        continue;
      }
      if (c_.quantiser == kFp8Static) {
#pragma unroll
        for (float& f : v) f = __fmul_rn(f, factor_);
      } else if (c_.quantiser == kFp8Token) {
        divide(v, row_scale);
      } else {
        // A power of two: multiplying with its reciprocal gives the same bits as dividing.
        const float by = reciprocal_of_power(group_scale(row, column, x[j]));
#pragma unroll
        for (float& f : v) f = __fmul_rn(f, by);
      }
      if (column < c_.packs) static_cast<uint2*>(c_.quant_out)[at(row, column)] = e4m3_pack(v);
    }
  }

  __device__ __forceinline__ void quantise_fp4(uint32_t row, uint32_t column, const Pack& x,
                                               float (&v)[8]) {
    const uint32_t code = e2m1_scale(value_of<T>(group_max(magnitude(x), 2)), factor_);
    const float factor = e2m1_factor(code, factor_);
#pragma unroll
    for (float& f : v) f = __fmul_rn(f, factor);
    if (column >= c_.packs) return;
    static_cast<uint32_t*>(c_.quant_out)[at(row, column)] = e2m1_pack(v);
    if (column % 2 != 0) return;
    auto* const scales = static_cast<uint8_t*>(c_.scale_out);
    const uint32_t k = column / 2, blocks = c_.packs / 2;
    if (c_.scale_layout == ARF_SCALES_LINEAR) {
      scales[static_cast<uint64_t>(row) * blocks + k] = static_cast<uint8_t>(code);
      return;
    }
    scales[swizzled_at(row, k, blocks)] = static_cast<uint8_t>(code);
    if (k == blocks - 1)
      for (uint32_t pad = blocks; pad % 4 != 0; pad++) scales[swizzled_at(row, pad, blocks)] = 0;
  }

  // The scale of this pack's group; the group's first thread stores it.
  __device__ __forceinline__ float group_scale(uint32_t row, uint32_t column, const Pack& x) const {
    const float scale = power_of_two_scale(value_of<T>(group_max(magnitude(x), c_.group_lanes)));
    if (column < c_.packs && column % c_.group_lanes == 0) {
      auto* const bytes = static_cast<uint8_t*>(c_.scale_out);
      const uint32_t group = column / c_.group_lanes, groups = c_.packs / c_.group_lanes;
      const auto word = [&](uint32_t r, uint32_t g) {
        return 4 * (static_cast<uint64_t>(g / 4) * c_.scale_stride + r);
      };
      bytes[word(row, group) + group % 4] =
          static_cast<uint8_t>((__float_as_uint(scale) >> 23) & 0xffu);
      if (group == groups - 1)
        for (uint32_t pad = groups; pad % 4 != 0; pad++) bytes[word(row, group) + pad % 4] = 0;
      if (row == c_.tokens - 1 && group % 4 == 0 && group / 4 != (groups - 1) / 4)
        for (uint32_t r = c_.tokens; r < c_.scale_stride; r++)
          *reinterpret_cast<uint32_t*>(bytes + word(r, group)) = 0;
    }
    return scale;
  }

  // Zeroes the swizzled scales of the rows between the last token and a multiple of 128, all
  // threads of the grid together: a word holds the scales of four blocks of a row.
  __device__ __forceinline__ void pad_scales() const {
    if (c_.quantiser != kFp4 || c_.scale_layout != ARF_SCALES_SWIZZLED_128X4) return;
    const uint32_t tiles = (c_.packs / 2 + 3) / 4, first = c_.tokens / 128 * 128,
                   of_row = blockDim.x * place_.blocks;
    if (first == c_.tokens) return;
    auto* const words = reinterpret_cast<uint4*>(static_cast<uint8_t*>(c_.scale_out) +
                                                 swizzled_at(first, 0, c_.packs / 2));
    for (uint32_t i = place_.unit * of_row + place_.block * blockDim.x + threadIdx.x;
         i < tiles * 32; i += of_row * place_.units) {
      const uint32_t row = first + i % 32;
      if (row >= c_.tokens) {
        words[i] = {0, 0, 0, 0};
        continue;
      }
      auto* const word = reinterpret_cast<uint32_t*>(words + i);
#pragma unroll
      for (uint32_t q = 1; q < 4; q++)
        if (row + 32 * q >= c_.tokens) word[q] = 0;
    }
  }

  __device__ __forceinline__ uint64_t at(uint32_t row, uint32_t column) const {
    return static_cast<uint64_t>(row) * c_.packs + column;
  }

  const Call& c_;
  const Place& place_;
  FinishMemory<P, E>& memory_;
  RowSum<P> sum_;
  float factor_ = 1;  // of a static quantiser
  Pack gamma_[P] = {};
};

}  // namespace arf
