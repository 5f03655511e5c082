// What happens to a row's sum: residual, RMSNorm, stores. The rounding points are those of the callers'
// present kernels: the sum is rounded to T, sum + residual is rounded to T, the norm is computed in fp32
// from the rounded values and rounded to T.
#pragma once

#include "call.h"
#include "format.cuh"
#include "row_sum.cuh"

namespace arf {

enum Epilogue { kPlain, kNorm };

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
__device__ __forceinline__ Pack normalised(const Pack& h, const Pack& gamma, float scale, float weight_bias) {
  float x[T::kPerPack], g[T::kPerPack];
  unpack<T>(h, x);
  unpack<T>(gamma, g);
#pragma unroll
  for (int i = 0; i < T::kPerPack; i++) x[i] = __fmul_rn(__fmul_rn(x[i], scale), __fadd_rn(weight_bias, g[i]));
  return pack<T>(x);
}

// Finishes rows. Holds what is the same for every row.
template <class T, int P, int E>
class Finish {
 public:
  // May run before the kernel ahead has ended: gamma is a weight.
  __device__ __forceinline__ Finish(const Call& c, const Place& place, RowSumMemory& memory)
      : c_(c), place_(place), sum_(memory, place) {
    if constexpr (E != kPlain)
#pragma unroll
      for (int j = 0; j < P; j++) {
        const uint32_t column = place.column(j, P);
        if (column < c.packs) gamma_[j] = static_cast<const Pack*>(c.gamma)[column];
      }
  }

  __device__ __forceinline__ void ready() { sum_.ready(); }

  // The residual of a row, to be handed to operator() later.
  __device__ __forceinline__ void load(uint32_t row, Pack (&residual)[P]) const {
    if constexpr (E != kPlain)
#pragma unroll
      for (int j = 0; j < P; j++) {
        const uint32_t column = place_.column(j, P);
        if (column < c_.packs) residual[j] = static_cast<const Pack*>(c_.residual_in)[at(row, column)];
      }
  }

  // x: the sums of this thread's packs, all NaN if they did not come. Afterwards every thread of the row
  // has been here.
  __device__ __forceinline__ void operator()(uint32_t row, Pack (&x)[P], const Pack (&residual)[P]) {
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
        if (column < c_.packs)
          static_cast<Pack*>(c_.norm_out)[at(row, column)] = normalised<T>(x[j], gamma_[j], scale, c_.weight_bias);
      }
    }
  }

 private:
  __device__ __forceinline__ uint64_t at(uint32_t row, uint32_t column) const {
    return static_cast<uint64_t>(row) * c_.packs + column;
  }

  const Call& c_;
  const Place& place_;
  RowSum<P> sum_;
  Pack gamma_[P];
};

}  // namespace arf
