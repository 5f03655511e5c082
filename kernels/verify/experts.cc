#include "verify/experts.h"

#include <cstring>

#include "pattern.h"
#include "verify/numbers.h"
#include "verify/parallel.h"

namespace arf::verify {
namespace {

constexpr uint32_t kExpertsRank = 200, kScalesRank = 300, kSharedRank = 400;

uint32_t hash(uint64_t a, uint64_t b) {
  uint64_t z = a * 0x9e3779b97f4a7c15ull + b;
  z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9ull;
  return static_cast<uint32_t>(z >> 32);
}

// Weights between a half and one and a half.
float weight(const Problem& p, uint32_t rank, uint64_t i) {
  return 0.5f +
         static_cast<float>(hash(p.seed + p.call, (uint64_t{rank} << 32) + i) >> 8) * 0x1p-24f;
}

void append(Bytes& to, const void* from, size_t bytes) {
  const auto* const b = static_cast<const uint8_t*>(from);
  to.insert(to.end(), b, b + bytes);
}

}  // namespace

Experts make_experts(const Problem& p, int rank) {
  Experts e;
  const auto r = static_cast<uint32_t>(rank);
  const auto tokens = static_cast<uint64_t>(p.tokens);
  e.count = 1 + static_cast<int>(p.call % kMostExperts);
  const uint64_t slots = tokens * static_cast<uint64_t>(e.count);
  e.experts = tensor(p.data, p.dtype, p.seed, p.call, kExpertsRank + r,
                     slots * static_cast<uint64_t>(p.hidden));
  const bool finalize = p.pattern == ARF_MOE_FINALIZE;
  if (!finalize || p.call % 3 != 0)
    e.shared = tensor(p.data, p.dtype, p.seed, p.call, kSharedRank + r, p.elements());
  for (uint64_t i = 0; i < slots; i++) {
    const float w = weight(p, kScalesRank + r, i);
    const uint32_t bits = finalize ? to_bits(p.dtype, w) : std::bit_cast<uint32_t>(w);
    if (!finalize || p.call % 5 != 0)
      append(e.scales, &bits, finalize ? static_cast<size_t>(size_of(p.dtype)) : 4);
    const uint32_t h = hash(p.seed + p.call + r, i);
    const int32_t row = h % 8 == 0 ? -1 : static_cast<int32_t>(h / 8 % slots);
    if (finalize) append(e.rows, &row, 4);
  }
  if (finalize && p.call % 2 == 0) e.routed_scale = 2.5f;
  return e;
}

Bytes sum_experts(const Problem& p, const Experts& e) {
  const auto tokens = static_cast<uint64_t>(p.tokens), hidden = static_cast<uint64_t>(p.hidden);
  const auto count = static_cast<uint64_t>(e.count);
  const auto size = static_cast<size_t>(size_of(p.dtype));
  const bool finalize = p.pattern == ARF_MOE_FINALIZE;
  const auto rounded = [&p](float f) { return to_float(p.dtype, to_bits(p.dtype, f)); };
  Bytes out(p.elements() * size);
  in_parallel(tokens, [&](uint64_t begin, uint64_t end) {
    for (uint64_t t = begin; t < end; t++)
      for (uint64_t i = 0; i < hidden; i++) {
        float sum = 0;
        for (uint64_t k = 0; k < count; k++) {
          const uint64_t at = finalize ? t * count + k : k * tokens + t;
          int64_t row = static_cast<int64_t>(at);
          float scale = 1;
          if (finalize) {
            int32_t named = 0;
            std::memcpy(&named, e.rows.data() + 4 * at, 4);
            if (named < 0) continue;
            row = named;
            if (!e.scales.empty()) scale = to_float(p.dtype, get(e.scales, p.dtype, at));
          } else {
            std::memcpy(&scale, e.scales.data() + 4 * at, 4);
          }
          const float x =
              to_float(p.dtype, get(e.experts, p.dtype, static_cast<uint64_t>(row) * hidden + i));
          sum = rounded(sum + rounded(x * scale));
        }
        if (e.routed_scale != 1) sum = rounded(sum * e.routed_scale);
        if (!e.shared.empty())
          sum = rounded(sum + to_float(p.dtype, get(e.shared, p.dtype, t * hidden + i)));
        const uint32_t bits = to_bits(p.dtype, sum);
        std::memcpy(out.data() + (t * hidden + i) * size, &bits, size);
      }
  });
  return out;
}

}  // namespace arf::verify
