#include "host/layout.h"

#include <algorithm>

#include "pattern.h"

namespace arf {
int element_size(int dtype) {
  return dtype == ARF_FP32 ? 4 : 2;
}

uint64_t default_oneshot_bytes(int world) {
  const uint64_t mib = uint64_t{1} << 20;
  return world == 2 ? 16 * mib : world == 4 ? 4 * mib : mib;
}

Layout make_layout(int world, const arf_config& config) {
  const auto n = static_cast<uint64_t>(world);
  const auto row_bytes = static_cast<uint64_t>(config.max_hidden) * element_size(config.max_dtype);
  const uint64_t limit = config.oneshot_bytes ? config.oneshot_bytes : default_oneshot_bytes(world);
  Layout l{};
  l.rows = static_cast<uint32_t>(config.max_tokens);
  l.oneshot_rows = static_cast<uint32_t>(
      std::clamp<uint64_t>(limit / row_bytes, 1, static_cast<uint64_t>(config.max_tokens)));
  // Whole segments of 32 packs, so that every row starts on a 512-byte boundary.
  l.stride = static_cast<uint32_t>(round_up((row_bytes + 15) / 16, 32));
  l.shard_stride = static_cast<uint32_t>((l.stride / 32 + n - 1) / n * 32);
  uint64_t at = 0;
  const auto place = [&at](uint64_t bytes) {
    const uint64_t start = at;
    at += round_up(bytes, 512);
    return start;
  };
  l.oneshot = place(2 * n * l.oneshot_rows * l.stride * 16);
  l.scatter = place(2 * n * l.rows * l.shard_stride * 16);
  l.gather = place(2 * uint64_t{l.rows} * l.stride * 16);
  l.mailbox = place(2 * uint64_t{l.rows} * l.stride * 16);
  if (world == 8) {
    const uint64_t members = n / 2;
    l.island_stride = static_cast<uint32_t>((l.stride / 32 + members - 1) / members * 32);
    l.island_scatter = place(2 * members * l.rows * l.island_stride * 16);
    l.twin = place(2 * uint64_t{l.rows} * l.island_stride * 2 * 16);
    l.island_gather = place(2 * uint64_t{l.rows} * l.stride * 16);
  }
  l.greetings = place(kAlgorithmCount * 2 * n * l.rows * kLine);
  l.total = at;
  at = 0;
  l.sequences = place(kCounters * uint64_t{l.rows} * kLine);
  l.poison = place(4);
  l.scratch = place(uint64_t{l.rows} * l.stride * 16);
  l.local_total = at;
  return l;
}

}  // namespace arf
