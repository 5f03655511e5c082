// The sum over experts of patterns 6 and 7, on the host.
#include "verify/experts.h"

#include <gtest/gtest.h>

#include <cstring>

#include "verify/numbers.h"

namespace arf::verify {
namespace {

template <class T>
Bytes bytes(std::initializer_list<T> values) {
  Bytes out(values.size() * sizeof(T));
  size_t at = 0;
  for (const T v : values) {
    std::memcpy(out.data() + at, &v, sizeof(T));
    at += sizeof(T);
  }
  return out;
}

Bytes bf16(std::initializer_list<float> values) {
  Bytes out;
  for (const float v : values) {
    const uint32_t b = to_bf16(v);
    out.push_back(static_cast<uint8_t>(b));
    out.push_back(static_cast<uint8_t>(b >> 8));
  }
  return out;
}

Problem problem(int pattern, int dtype, int hidden) {
  Problem p;
  p.pattern = pattern;
  p.dtype = dtype;
  p.tokens = 1;
  p.hidden = hidden;
  return p;
}

TEST(Experts, FinalizeTakesRowsByIndexAndLeavesOutNegativeOnes) {
  Experts e;
  e.experts = bytes<float>({1, 2, 3, 4});
  e.rows = bytes<int32_t>({1, -1});
  e.scales = bytes<float>({2, 5});
  e.shared = bytes<float>({10, 20});
  e.count = 2;
  e.routed_scale = 0.5f;
  EXPECT_EQ(sum_experts(problem(ARF_MOE_FINALIZE, ARF_FP32, 2), e), bytes<float>({13, 24}));
}

// 256 + 1 is 256 in bf16, twice: no sum is kept in more digits than the tensors have.
TEST(Experts, EverySumIsRounded) {
  Experts e;
  e.experts = bf16({256, 1, 1});
  e.scales = bytes<float>({1, 1, 1});
  e.shared = bf16({0});
  e.count = 3;
  EXPECT_EQ(sum_experts(problem(ARF_MOE_REDUCTION, ARF_BF16, 1), e), bf16({256}));
}

TEST(Experts, WhatIsMadeForATestDiffersByRankAndCall) {
  Problem p = problem(ARF_MOE_FINALIZE, ARF_BF16, 64);
  p.tokens = 9;
  p.call = 7;
  const Experts a = make_experts(p, 0), b = make_experts(p, 1);
  EXPECT_NE(a.experts, b.experts);
  EXPECT_NE(a.rows, b.rows);
  EXPECT_EQ(a.count, 4);
  p.call = 8;
  EXPECT_NE(make_experts(p, 0).experts, a.experts);
}

}  // namespace
}  // namespace arf::verify
