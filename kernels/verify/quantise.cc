#include "verify/quantise.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "pattern.h"
#include "verify/numbers.h"
#include "verify/parallel.h"

namespace arf::verify {
namespace {

constexpr int kLargestFinite = 0x7e;  // e4m3: 448

// The largest magnitude of elements [begin, end), by bit pattern: NaN is above all.
float most(const Problem& p, const Bytes& norm, uint64_t begin, uint64_t end) {
  uint32_t m = 0;
  for (uint64_t i = begin; i < end; i++) m = std::max(m, get(norm, p.dtype, i) & 0x7fff);
  return to_float(p.dtype, m);
}

float value(const Problem& p, const Bytes& norm, uint64_t i) {
  return to_float(p.dtype, get(norm, p.dtype, i));
}

void by_row(const Problem& p, const std::function<void(uint64_t)>& row) {
  in_parallel(static_cast<uint64_t>(p.tokens), [&](uint64_t begin, uint64_t end) {
    for (uint64_t r = begin; r < end; r++) row(r);
  });
}

// A NaN is the canonical one, as on the device; this machine would keep the payload of the row's.
void put_scale(Bytes& scales, uint64_t word, float f) {
  const uint32_t bits = to_bits(ARF_FP32, f);
  std::memcpy(scales.data() + 4 * word, &bits, 4);
}

void static_fp8(const Problem& p, const Bytes& norm, float scale, Quantised& q) {
  const float factor = 1.0f / scale;
  in_parallel(p.elements(), [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; i++)
      q.codes[i] = static_cast<uint8_t>(to_e4m3(value(p, norm, i) * factor));
  });
}

void token_fp8(const Problem& p, const Bytes& norm, Quantised& q) {
  const auto hidden = static_cast<uint64_t>(p.hidden);
  by_row(p, [&](uint64_t row) {
    const float wanted = most(p, norm, row * hidden, (row + 1) * hidden) / 448.0f,
                least = 1.0f / 512.0f / 448.0f;
    const float scale = wanted < least ? least : wanted;
    put_scale(q.scales, row, scale);
    for (uint64_t i = row * hidden; i < (row + 1) * hidden; i++)
      q.codes[i] = static_cast<uint8_t>(to_e4m3(value(p, norm, i) / scale));
  });
}

// The least power of two not below x; x itself if it is not finite.
float power_of_two(float x) {
  if (!std::isfinite(x)) return x;
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5f ? x : std::ldexp(1.0f, exponent);
}

void group_fp8(const Problem& p, const Bytes& norm, Quantised& q) {
  const auto size = static_cast<uint64_t>(p.group_size), hidden = static_cast<uint64_t>(p.hidden),
             groups = hidden / size;
  const uint64_t column = round_up(static_cast<uint64_t>(p.tokens), 4);
  by_row(p, [&](uint64_t row) {
    for (uint64_t g = 0; g < groups; g++) {
      const uint64_t begin = row * hidden + g * size;
      const float wanted = most(p, norm, begin, begin + size) / 448.0f;
      const float scale = power_of_two(wanted < 1e-10f ? 1e-10f : wanted);
      q.scales[4 * (g / 4 * column + row) + g % 4] =
          static_cast<uint8_t>(std::bit_cast<uint32_t>(scale) >> 23 & 0xff);
      for (uint64_t i = begin; i < begin + size; i++)
        q.codes[i] = static_cast<uint8_t>(to_e4m3(value(p, norm, i) / scale));
    }
  });
}

void fp4(const Problem& p, const Bytes& norm, float global, Quantised& q) {
  const auto hidden = static_cast<uint64_t>(p.hidden), blocks = hidden / 16;
  const float sixth = std::bit_cast<float>(0x3e2aaaabu);
  by_row(p, [&](uint64_t row) {
    for (uint64_t k = 0; k < blocks; k++) {
      const uint64_t begin = row * hidden + k * 16;
      const float scaled = most(p, norm, begin, begin + 16) * sixth;
      const uint32_t code = to_e4m3(global * scaled);
      const uint64_t at =
          p.layout == ARF_SCALES_LINEAR ? row * blocks + k : swizzled_at(row, k, blocks);
      q.scales[at] = static_cast<uint8_t>(code);
      const float scale = from_e4m3(code), factor = scale == 0 ? 0 : global / scale;
      for (uint64_t i = begin; i < begin + 16; i += 2)
        q.codes[i / 2] = static_cast<uint8_t>(to_e2m1(value(p, norm, i) * factor) |
                                              to_e2m1(value(p, norm, i + 1) * factor) << 4);
    }
  });
}

}  // namespace

uint32_t to_e4m3(float f) {
  if (std::isnan(f)) return 0x7f;
  const uint32_t sign = std::signbit(f) ? 0x80 : 0;
  const float a = std::fabs(f);
  if (a >= 448) return sign | kLargestFinite;
  if (a < 0x1p-6f) return sign | static_cast<uint32_t>(std::lrint(std::ldexp(a, 9)));
  const int exponent = std::ilogb(a);
  const auto eighths = static_cast<uint32_t>(std::lrint(std::ldexp(a, 3 - exponent)));  // 8..16
  return sign | std::min<uint32_t>((static_cast<uint32_t>(exponent + 7) << 3) + (eighths - 8),
                                   kLargestFinite);
}

float from_e4m3(uint32_t code) {
  const int exponent = static_cast<int>(code >> 3 & 15), mantissa = static_cast<int>(code & 7);
  if (exponent == 15 && mantissa == 7) return std::bit_cast<float>(0x7fc00000u);
  const float a = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -9)
                                : std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
  return code & 0x80 ? -a : a;
}

uint32_t to_e2m1(float f) {
  if (std::isnan(f)) return 7;
  const uint32_t sign = std::signbit(f) ? 8 : 0;
  const float a = std::fabs(f);
  if (a >= 6) return sign | 7;
  // Steps of a half up to 2, of one up to 4, of two beyond; lrint takes ties to even.
  if (a < 2) return sign | static_cast<uint32_t>(std::lrint(a * 2));
  if (a < 4) return sign | (2 + static_cast<uint32_t>(std::lrint(a)));
  return sign | (4 + static_cast<uint32_t>(std::lrint(a / 2)));
}

Quantised quantise(const Problem& p, const Bytes& norm, float scale_factor) {
  const auto tokens = static_cast<uint64_t>(p.tokens), hidden = static_cast<uint64_t>(p.hidden);
  Quantised q;
  q.codes.resize(quant_bytes(p.pattern, tokens, hidden));
  q.scales.resize(scale_bytes(p.pattern, tokens, hidden, p.layout, p.group_size));
  switch (quantiser_of(p.pattern)) {
    case kFp8Static:
      static_fp8(p, norm, scale_factor, q);
      break;
    case kFp4:
      fp4(p, norm, scale_factor, q);
      break;
    case kFp8Group:
      group_fp8(p, norm, q);
      break;
    case kFp8Token:
      token_fp8(p, norm, q);
      break;
    case kNotQuantised:
      break;
  }
  return q;
}

}  // namespace arf::verify
