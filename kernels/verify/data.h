// Test tensors. Every element is a hash of (seed, call, rank, index), so that a stale, swapped or
// missing contribution changes the result.
#pragma once

#include <cstdint>
#include <vector>

namespace arf::verify {

using Bytes = std::vector<uint8_t>;

enum class Data {
  normal,    // about N(0, 1), some zeros of both signs
  wide,      // exponents over twenty binades: shows the order of summation
  integers,  // small whole numbers: every sum is exact
  special    // also infinities, NaNs of all kinds, subnormals
};

constexpr uint32_t kResidualRank = 100, kGammaRank = 101;

// The element's bits.
uint32_t element(Data kind, int dtype, uint64_t seed, uint32_t call, uint32_t rank, uint64_t index);

// A tensor's bytes.
std::vector<uint8_t> tensor(Data kind, int dtype, uint64_t seed, uint32_t call, uint32_t rank,
                            uint64_t elements);

uint32_t get(const std::vector<uint8_t>& t, int dtype, uint64_t index);

}  // namespace arf::verify
