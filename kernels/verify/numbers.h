// Number formats on the host, bit for bit as the GPU rounds them (to nearest even; NaN becomes the
// canonical one).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "arf.h"

namespace arf::verify {

inline float from_bf16(uint32_t b) {
  return std::bit_cast<float>(b << 16);
}

inline uint32_t to_bf16(float f) {
  const auto u = std::bit_cast<uint32_t>(f);
  if (std::isnan(f)) return 0x7fff;
  return (u + 0x7fff + ((u >> 16) & 1)) >> 16;
}

inline float from_fp16(uint32_t h) {
  const uint32_t sign = (h & 0x8000) << 16, exponent = (h >> 10) & 31, mantissa = h & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                        : std::ldexp(static_cast<float>(mantissa | 1024),
                                                     static_cast<int>(exponent) - 25);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
}

inline uint32_t to_fp16(float f) {
  if (std::isnan(f)) return 0x7fff;
  const uint32_t sign = std::bit_cast<uint32_t>(f) >> 16 & 0x8000;
  const float a = std::fabs(f);
  if (a >= 65520.0f) return sign | 0x7c00;
  if (a < std::ldexp(1.0f, -14)) return sign | static_cast<uint32_t>(std::lrint(std::ldexp(a, 24)));
  const int exponent = std::ilogb(a);
  const auto steps = static_cast<uint32_t>(std::lrint(std::ldexp(a, 10 - exponent)));  // 1024..2048
  return sign | ((static_cast<uint32_t>(exponent + 15) << 10) + (steps - 1024));
}

inline float to_float(int dtype, uint32_t bits) {
  return dtype == ARF_BF16   ? from_bf16(bits)
         : dtype == ARF_FP16 ? from_fp16(bits)
                             : std::bit_cast<float>(bits);
}
inline uint32_t to_bits(int dtype, float f) {
  if (dtype == ARF_BF16) return to_bf16(f);
  if (dtype == ARF_FP16) return to_fp16(f);
  return std::isnan(f) ? 0x7fffffffu : std::bit_cast<uint32_t>(f);
}
inline int size_of(int dtype) {
  return dtype == ARF_FP32 ? 4 : 2;
}

// Steps of the format between two finite values of the same sign and kind; a large number if they
// differ in what kind of number they are.
inline uint32_t steps_between(int dtype, uint32_t a, uint32_t b) {
  const uint32_t sign = dtype == ARF_FP32 ? 0x80000000u : 0x8000u;
  const auto order = [sign](uint32_t v) {
    return (v & sign) ? -static_cast<int64_t>(v & ~sign) : static_cast<int64_t>(v);
  };
  const bool nan_a = std::isnan(to_float(dtype, a)), nan_b = std::isnan(to_float(dtype, b));
  if (nan_a || nan_b) return nan_a && nan_b ? 0 : ~0u;
  const int64_t d = order(a) - order(b);
  return static_cast<uint32_t>(d < 0 ? -d : d);
}

// Half the distance to the next number of the format, at the magnitude of x.
inline double half_step(int dtype, double x) {
  const int digits = dtype == ARF_BF16 ? 8 : dtype == ARF_FP16 ? 11 : 24;
  const int least = dtype == ARF_FP16 ? -14 : -126;
  const int exponent = x == 0 ? least : std::max(std::ilogb(x), least);
  return std::ldexp(1.0, exponent - digits);
}

}  // namespace arf::verify
