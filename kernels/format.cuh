// Number formats of the tensors: how a 16-byte pack is taken apart into fp32 and put together
// again. Rounding is to nearest even; a NaN stays a NaN (the canonical one, 0x7FFF or 0x7FFFFFFF).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "ptx.cuh"

namespace arf {

struct Bf16 {
  static constexpr int kPerPack = 8;
  static __device__ __forceinline__ void unpack_word(uint32_t w, float* v) {
    v[0] = __uint_as_float(w << 16);
    v[1] = __uint_as_float(w & 0xffff0000u);
  }
  static __device__ __forceinline__ uint32_t pack_word(const float* v) {
    const __nv_bfloat162 b = __floats2bfloat162_rn(v[0], v[1]);
    return *reinterpret_cast<const uint32_t*>(&b);
  }
};

struct Fp16 {
  static constexpr int kPerPack = 8;
  static __device__ __forceinline__ void unpack_word(uint32_t w, float* v) {
    const float2 f = __half22float2(*reinterpret_cast<const __half2*>(&w));
    v[0] = f.x;
    v[1] = f.y;
  }
  static __device__ __forceinline__ uint32_t pack_word(const float* v) {
    const __half2 h = __floats2half2_rn(v[0], v[1]);
    return *reinterpret_cast<const uint32_t*>(&h);
  }
};

struct Fp32 {
  static constexpr int kPerPack = 4;
  static __device__ __forceinline__ void unpack_word(uint32_t w, float* v) {
    v[0] = __uint_as_float(w);
  }
  static __device__ __forceinline__ uint32_t pack_word(const float* v) {
    return __float_as_uint(v[0]);
  }
};

template <class T>
__device__ __forceinline__ void unpack(const Pack& p, float (&v)[T::kPerPack]) {
  constexpr int kStep = T::kPerPack / 4;
  T::unpack_word(p.x, v);
  T::unpack_word(p.y, v + kStep);
  T::unpack_word(p.z, v + 2 * kStep);
  T::unpack_word(p.w, v + 3 * kStep);
}

template <class T>
__device__ __forceinline__ Pack pack(const float (&v)[T::kPerPack]) {
  constexpr int kStep = T::kPerPack / 4;
  return {T::pack_word(v), T::pack_word(v + kStep), T::pack_word(v + 2 * kStep),
          T::pack_word(v + 3 * kStep)};
}

// The word that an empty slot holds. As data it is a NaN in every format (two of them in the 16-bit
// ones), so a payload may say the same thing with another word.
constexpr uint32_t kEmpty = 0xffffffffu;
constexpr uint32_t kNan = 0x7fffffffu;  // not kEmpty, and NaN in every element of every format

__device__ __forceinline__ bool arrived(const Pack& p) {
  return p.x != kEmpty && p.y != kEmpty && p.z != kEmpty && p.w != kEmpty;
}

// The same numbers, in words that do not look empty.
__device__ __forceinline__ Pack sendable(Pack p) {
  p.x = p.x == kEmpty ? kNan : p.x;
  p.y = p.y == kEmpty ? kNan : p.y;
  p.z = p.z == kEmpty ? kNan : p.z;
  p.w = p.w == kEmpty ? kNan : p.w;
  return p;
}

// The sum over ranks in the canonical order, a balanced tree in fp32, rounded once. Every algorithm
// sums like this, so all give the same bits. x[i] may be the pack of rank i or of rank r ^ i: that
// only swaps the two sides of additions.
template <class T, int N>
__device__ __forceinline__ void tree_sum_fp32(const Pack (&x)[N], float (&sum)[T::kPerPack]) {
  constexpr int kPer = T::kPerPack;
  float s[N][kPer];
#pragma unroll
  for (int q = 0; q < N; q++) unpack<T>(x[q], s[q]);
#pragma unroll
  for (int width = 1; width < N; width *= 2)
#pragma unroll
    for (int q = 0; q < N; q += 2 * width)
#pragma unroll
      for (int i = 0; i < kPer; i++) s[q][i] = __fadd_rn(s[q][i], s[q + width][i]);
#pragma unroll
  for (int i = 0; i < kPer; i++) sum[i] = s[0][i];
}

template <class T, int N>
__device__ __forceinline__ Pack tree_sum(const Pack (&x)[N]) {
  float sum[T::kPerPack];
  tree_sum_fp32<T, N>(x, sum);
  return pack<T>(sum);
}

}  // namespace arf
