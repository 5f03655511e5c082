#include "verify/data.h"

#include <cmath>
#include <cstring>

#include "verify/numbers.h"
#include "verify/parallel.h"

namespace arf::verify {
namespace {

uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

float bell(uint64_t z) {
  float f = 0;
  for (int i = 0; i < 4; i++) f += static_cast<float>((z >> (16 * i)) & 0xffff) / 65536.0f - 0.5f;
  return f * 1.7320508f;
}

uint32_t special(int dtype, uint64_t z) {
  static constexpr uint32_t k16[] = {0x7fff, 0xffff, 0x7f81, 0xff80, 0x7f80, 0x8000, 0x0000,
                                     0x0001, 0x8001, 0xfffe, 0x7c00, 0xfc00, 0x7c01};
  static constexpr uint32_t k32[] = {0x7fffffff, 0xffffffff, 0x7f800001, 0xff800000, 0x7f800000,
                                     0x80000000, 0x00000000, 0x00000001, 0x80000001, 0xfffffffe};
  return dtype == ARF_FP32 ? k32[z % std::size(k32)] : k16[z % std::size(k16)];
}

}  // namespace

uint32_t element(Data kind, int dtype, uint64_t seed, uint32_t call, uint32_t rank,
                 uint64_t index) {
  const uint64_t z =
      mix(mix(seed * 0x9e3779b97f4a7c15ull + call) + (static_cast<uint64_t>(rank) << 40) + index);
  if (rank == kGammaRank) return to_bits(dtype, 0.5f + static_cast<float>(z & 0xffff) / 65536.0f);
  if (kind == Data::integers)
    return to_bits(dtype, static_cast<float>(static_cast<int>(z % 9) - 4));
  if (kind == Data::special) {
    // Whole words of ones: what an empty inbox holds.
    const uint64_t pair = mix(mix(seed + call) + (static_cast<uint64_t>(rank) << 40) + index / 2);
    if (pair % 4096 == 0) return dtype == ARF_FP32 ? 0xffffffffu : 0xffffu;
  }
  if (kind == Data::special && (z >> 20) % 4096 == 0) return special(dtype, z);
  if ((z & 1023) == 0) return dtype == ARF_FP32 ? 0x80000000u : 0x8000u;
  if ((z & 1023) == 1) return 0;
  const uint64_t w = mix(z + 1);
  if (kind == Data::wide) return to_bits(dtype, std::ldexp(bell(z), static_cast<int>(w % 21) - 14));
  return to_bits(dtype, bell(z));
}

std::vector<uint8_t> tensor(Data kind, int dtype, uint64_t seed, uint32_t call, uint32_t rank,
                            uint64_t elements) {
  const uint64_t size = static_cast<uint64_t>(size_of(dtype));
  std::vector<uint8_t> out(elements * size);
  uint8_t* const to = out.data();
  const auto fill = [=](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; i++) {
      const uint32_t bits = element(kind, dtype, seed, call, rank, i);
      std::memcpy(to + i * size, &bits, size);
    }
  };
  if (elements < 65536)
    fill(0, elements);
  else
    in_parallel(elements, fill);
  return out;
}

uint32_t get(const std::vector<uint8_t>& t, int dtype, uint64_t index) {
  uint32_t bits = 0;
  const auto size = static_cast<uint64_t>(size_of(dtype));
  std::memcpy(&bits, t.data() + index * size, size);
  return bits;
}

}  // namespace arf::verify
