// The host emulation of the quantisers, which the kernels are compared with bit for bit.
#include "verify/quantise.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "pattern.h"
#include "verify/numbers.h"

namespace arf::verify {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNotANumber = std::bit_cast<float>(0x7fc00000u);

TEST(E4m3, RoundsToNearestEven) {
  EXPECT_EQ(to_e4m3(0.0f), 0u);
  EXPECT_EQ(to_e4m3(-0.0f), 0x80u);
  EXPECT_EQ(to_e4m3(1.0f), 0x38u);
  EXPECT_EQ(to_e4m3(1.0625f), 0x38u);  // half way between 1 and 1.125
  EXPECT_EQ(to_e4m3(1.1875f), 0x3au);  // half way between 1.125 and 1.25
  EXPECT_EQ(to_e4m3(0x1p-9f), 1u);
  EXPECT_EQ(to_e4m3(0x1p-10f), 0u);
  EXPECT_EQ(to_e4m3(0x1.8p-9f), 2u);
}

TEST(E4m3, SaturatesAndKeepsNan) {
  EXPECT_EQ(to_e4m3(448.0f), 0x7eu);
  EXPECT_EQ(to_e4m3(1e30f), 0x7eu);
  EXPECT_EQ(to_e4m3(-kInfinity), 0xfeu);
  EXPECT_EQ(to_e4m3(kNotANumber), 0x7fu);
}

TEST(E4m3, EveryCodeComesBack) {
  for (uint32_t code = 0; code < 256; code++) {
    if ((code & 0x7f) == 0x7f) continue;
    EXPECT_EQ(to_e4m3(from_e4m3(code)), code);
  }
}

TEST(E2m1, EveryBoundary) {
  const float middles[] = {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f};
  for (uint32_t i = 0; i < 7; i++) {
    EXPECT_EQ(to_e2m1(std::nextafter(middles[i], 0.0f)), i);
    EXPECT_EQ(to_e2m1(middles[i]), i % 2 == 0 ? i : i + 1);  // ties to the even code
    EXPECT_EQ(to_e2m1(std::nextafter(-middles[i], -10.0f)), 8 + i + 1);
  }
  EXPECT_EQ(to_e2m1(kInfinity), 7u);
  EXPECT_EQ(to_e2m1(-6.1f), 15u);
  EXPECT_EQ(to_e2m1(kNotANumber), 7u);
}

TEST(SwizzledScales, EveryPlaceOnce) {
  const uint64_t tokens = 130, blocks = 6;
  std::vector<int> used(
      scale_bytes(ARF_RESIDUAL_RMSNORM_FP4, tokens, blocks * 16, ARF_SCALES_SWIZZLED_128X4, 0), 0);
  ASSERT_EQ(used.size(), 256u * 8);
  for (uint64_t row = 0; row < tokens; row++)
    for (uint64_t k = 0; k < blocks; k++) used[swizzled_at(row, k, blocks)]++;
  EXPECT_EQ(std::count(used.begin(), used.end(), 1), static_cast<long>(tokens * blocks));
  EXPECT_EQ(swizzled_at(1, 0, blocks), 16u);
  EXPECT_EQ(swizzled_at(32, 1, blocks), 5u);
  EXPECT_EQ(swizzled_at(0, 4, blocks), 512u);
  EXPECT_EQ(swizzled_at(128, 0, blocks), 1024u);
}

Bytes bf16(const std::vector<float>& values) {
  Bytes out;
  for (const float v : values) {
    const uint32_t bits = to_bf16(v);
    out.push_back(static_cast<uint8_t>(bits));
    out.push_back(static_cast<uint8_t>(bits >> 8));
  }
  return out;
}

Problem row_of(int pattern, int hidden) {
  Problem p;
  p.pattern = pattern;
  p.dtype = ARF_BF16;
  p.tokens = 1;
  p.hidden = hidden;
  return p;
}

TEST(Quantise, TokenScaleIsTheLargestBy448) {
  const Problem p = row_of(ARF_RESIDUAL_RMSNORM_TOKEN_FP8, 4);
  const Quantised q = quantise(p, bf16({1, -448, 224, 0}), 1);
  EXPECT_EQ(q.codes, (Bytes{0x38, 0xfe, 0x76, 0}));
  float scale = 0;
  std::memcpy(&scale, q.scales.data(), 4);
  EXPECT_EQ(scale, 1.0f);
}

TEST(Quantise, GroupScaleIsAPowerOfTwoAboveTheLargestBy448) {
  Problem p = row_of(ARF_RESIDUAL_RMSNORM_GROUP_FP8, 32);
  p.group_size = 16;
  std::vector<float> values(32, 1.0f);
  values[3] = 450;
  const Quantised q = quantise(p, bf16(values), 1);
  EXPECT_EQ(q.scales[0], 128);      // 2: the least power of two from 450/448 on
  EXPECT_EQ(q.scales[1], 127 - 8);  // 1/256
  EXPECT_EQ(q.scales[2], 0);        // unused
  EXPECT_EQ(q.codes[0], 0x30u);     // 1/2
  EXPECT_EQ(q.codes[16], 0x78u);    // 256
}

TEST(Quantise, Nvfp4BlockFillsItsRange) {
  const Problem p = row_of(ARF_RESIDUAL_RMSNORM_FP4, 16);
  std::vector<float> values(16, 0.0f);
  values[0] = 6;
  values[1] = -3;
  const Quantised q = quantise(p, bf16(values), 1);
  EXPECT_EQ(q.scales[0], 0x38);  // 1
  EXPECT_EQ(q.codes[0], 0xd7);   // 6 in the low half, -3 in the high one
}

// Nothing turns a NaN into a number: the scale that dequantises it is NaN.
TEST(Quantise, NanStaysNan) {
  std::vector<float> values(16, 1.0f);
  values[5] = kNotANumber;
  Problem p = row_of(ARF_RESIDUAL_RMSNORM_FP8, 16);
  EXPECT_EQ(quantise(p, bf16(values), 1).codes[5], 0x7f);
  p.pattern = ARF_RESIDUAL_RMSNORM_FP4;
  EXPECT_EQ(quantise(p, bf16(values), 1).scales[0], 0x7f);
  p.pattern = ARF_RESIDUAL_RMSNORM_GROUP_FP8;
  p.group_size = 16;
  EXPECT_EQ(quantise(p, bf16(values), 1).scales[0], 0xff);
  p.pattern = ARF_RESIDUAL_RMSNORM_TOKEN_FP8;
  EXPECT_EQ(quantise(p, bf16(values), 1).scales, (Bytes{0xff, 0xff, 0xff, 0x7f}));
  // Whatever NaN it is.
  Bytes norm = bf16(values);
  norm[10] = 0x81;
  EXPECT_EQ(quantise(p, norm, 1).scales, (Bytes{0xff, 0xff, 0xff, 0x7f}));
}

TEST(Quantise, ZerosHaveTheLeastScale) {
  const Bytes zeros = bf16(std::vector<float>(16, 0.0f));
  Problem p = row_of(ARF_RESIDUAL_RMSNORM_FP4, 16);
  EXPECT_EQ(quantise(p, zeros, 1).scales[0], 0);
  p.pattern = ARF_RESIDUAL_RMSNORM_GROUP_FP8;
  p.group_size = 16;
  EXPECT_EQ(quantise(p, zeros, 1).scales[0], 127 - 33);
  p.pattern = ARF_RESIDUAL_RMSNORM_TOKEN_FP8;
  const Quantised q = quantise(p, zeros, 1);
  float scale = 0;
  std::memcpy(&scale, q.scales.data(), 4);
  EXPECT_EQ(scale, 1.0f / 512.0f / 448.0f);
  EXPECT_EQ(q.codes, Bytes(16));
}

// A sum of squares beyond fp32 makes the norm zero, as it does for callers today; within it, zero
// is wrong.
TEST(CompareNorm, OverflowOfTheSumOfSquares) {
  Problem p = row_of(ARF_RESIDUAL_RMSNORM, 16);
  const Bytes gamma = bf16(std::vector<float>(16, 1.0f)), zero = bf16(std::vector<float>(16, 0.0f));
  EXPECT_EQ(compare_norm(p, zero, bf16(std::vector<float>(16, 1e20f)), gamma).wrong, 0u);
  EXPECT_EQ(compare_norm(p, zero, bf16(std::vector<float>(16, 1e18f)), gamma).wrong, 16u);
  EXPECT_EQ(compare_norm(p, bf16(std::vector<float>(16, 1.0f)), bf16(std::vector<float>(16, 1e18f)),
                         gamma)
                .wrong,
            0u);
}

}  // namespace
}  // namespace arf::verify
