// Quantises a pack of a finished row (8 elements of a 16-bit format). Every step is one IEEE
// operation in a fixed order, so that the host computes the same bits; no contraction, no
// approximate reciprocal.
//
// A NaN is never turned into a number: the largest magnitude of a block is taken of bit patterns,
// where a NaN is above infinity, and ends in the scale.
#pragma once

#include <cuda_fp8.h>

#include "format.cuh"

namespace arf {

// The largest magnitude of a pack, as the 16 bits of its format.
__device__ __forceinline__ uint32_t magnitude(const Pack& p) {
  constexpr uint32_t kMagnitudes = 0x7fff7fffu;
  const uint32_t m = __vmaxu2(__vmaxu2(p.x & kMagnitudes, p.y & kMagnitudes),
                              __vmaxu2(p.z & kMagnitudes, p.w & kMagnitudes));
  return max(m & 0xffffu, m >> 16);
}

template <class T>
__device__ __forceinline__ float value_of(uint32_t bits) {
  float v[2];
  T::unpack_word(bits, v);
  return v[0];
}

// The largest of a group of neighbouring lanes (2, 4, … 32). All lanes of the warp must call it.
__device__ __forceinline__ uint32_t group_max(uint32_t m, uint32_t lanes) {
  for (uint32_t d = lanes / 2; d > 0; d >>= 1) m = max(m, __shfl_xor_sync(~0u, m, d));
  return m;
}

// Two e4m3 codes, the first in the low byte: to nearest even, beyond 448 it is 448, NaN is 0x7f.
__device__ __forceinline__ uint32_t e4m3_pair(float low, float high) {
  return __nv_cvt_float2_to_fp8x2(make_float2(low, high), __NV_SATFINITE, __NV_E4M3);
}

__device__ __forceinline__ uint2 e4m3_pack(const float (&v)[8]) {
  return {e4m3_pair(v[0], v[1]) | e4m3_pair(v[2], v[3]) << 16,
          e4m3_pair(v[4], v[5]) | e4m3_pair(v[6], v[7]) << 16};
}

// A finite e4m3 code without sign, or NaN.
__device__ __forceinline__ float from_e4m3(uint32_t code) {
  return __half2float(
      __half(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), __NV_E4M3)));
}

// v / by, correctly rounded, for a `by` that all threads share: one division for all, and two steps
// of correction for each. What underflows on the way is far below the least e4m3 number.
__device__ __forceinline__ void divide(float (&v)[8], float by) {
  if (!(by < __uint_as_float(0x7f800000u))) {
#pragma unroll
    for (float& f : v) f = __fdiv_rn(f, by);
    return;
  }
  const float reciprocal = __fdiv_rn(1.0f, by);
#pragma unroll
  for (float& f : v) {
    float q = __fmul_rn(f, reciprocal);
    q = __fmaf_rn(__fmaf_rn(-q, by, f), reciprocal, q);
    q = __fmaf_rn(__fmaf_rn(-q, by, f), reciprocal, q);
    f = copysignf(q, f);
  }
}

// Eight e2m1 codes, the first in the lowest four bits: to nearest even, beyond 6 it is 6, NaN is
// +6.
__device__ __forceinline__ uint32_t e2m1_pack(const float (&v)[8]) {
  uint32_t codes = 0;
#if defined(__CUDA_ARCH_FAMILY_SPECIFIC__) || defined(__CUDA_ARCH_SPECIFIC__)
#if __CUDA_ARCH__ >= 1000
#define ARF_CONVERTS_E2M1 1
#endif
#endif
#ifdef ARF_CONVERTS_E2M1
  asm("{\n"
      ".reg .b8 a, b, c, d;\n"
      "cvt.rn.satfinite.e2m1x2.f32 a, %2, %1;\n"
      "cvt.rn.satfinite.e2m1x2.f32 b, %4, %3;\n"
      "cvt.rn.satfinite.e2m1x2.f32 c, %6, %5;\n"
      "cvt.rn.satfinite.e2m1x2.f32 d, %8, %7;\n"
      "mov.b32 %0, {a, b, c, d};\n"
      "}"
      : "=r"(codes)
      : "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3]), "f"(v[4]), "f"(v[5]), "f"(v[6]), "f"(v[7]));
#else
#pragma unroll
  for (int i = 0; i < 8; i++) {
    // Steps are a half below 2, one below 4, two above: what is added makes the step the unit of
    // the last place, so that the sum is rounded as wanted. A NaN is 6.
    const float a = fminf(fabsf(v[i]), 6.0f);
    const bool below2 = a < 2.0f, below4 = a < 4.0f;
    const float steps = below2 ? 2.0f : below4 ? 1.0f : 0.5f;
    const uint32_t first = below2 ? 0 : below4 ? 2 : 4;
    uint32_t code = (__float_as_uint(__fmaf_rn(a, steps, 12582912.0f)) & 7u) + first;
    if (v[i] == v[i]) code |= __float_as_uint(v[i]) >> 28 & 8u;
    codes |= code << 4 * i;
  }
#endif
  return codes;
}

// The scale of a block of 16 elements whose largest magnitude is `most`: its e4m3 code.
__device__ __forceinline__ uint32_t e2m1_scale(float most, float global_scale) {
  const float sixth = __uint_as_float(0x3e2aaaabu);
  return e4m3_pair(__fmul_rn(global_scale, __fmul_rn(most, sixth)), 0.0f) & 0xffu;
}

// What the block's elements are multiplied with.
__device__ __forceinline__ float e2m1_factor(uint32_t scale_code, float global_scale) {
  const float scale = from_e4m3(scale_code);
  return scale == 0.0f ? 0.0f : __fdiv_rn(global_scale, scale);
}

// The least power of two that is not below most / 448, nor below 1e-10; infinity or NaN if `most`
// is. 448 is 1.75 * 2^8, so it is the exponent of `most`, less eight, and one more if its digits
// are above 1.75.
__device__ __forceinline__ float power_of_two_scale(float most) {
  constexpr uint32_t kLeast = (127u - 33u) << 23, kDigits = 0x7fffffu, kAbove = 0x600000u;
  const uint32_t bits = __float_as_uint(most);
  if (bits >= 0x7f800000u) return most;
  const uint32_t up = (bits & kDigits) > kAbove ? 1u : 0u, exponent = (bits >> 23) + up;
  return __uint_as_float(exponent < 8 + (kLeast >> 23) ? kLeast : (exponent - 8) << 23);
}

// 1 / scale of such a scale.
__device__ __forceinline__ float reciprocal_of_power(float scale) {
  const uint32_t bits = __float_as_uint(scale);
  return bits >= 0x7f800000u ? __fdiv_rn(1.0f, scale) : __uint_as_float((254u << 23) - bits);
}

// The scale of a row: no less than what keeps the least e4m3 number apart from zero; the canonical
// NaN if the row has one.
__device__ __forceinline__ float token_scale(float most) {
  const float least = __fdiv_rn(1.0f / 512.0f, 448.0f), wanted = __fdiv_rn(most, 448.0f);
  if (wanted != wanted) return __uint_as_float(kNan);
  return wanted < least ? least : wanted;
}

}  // namespace arf
