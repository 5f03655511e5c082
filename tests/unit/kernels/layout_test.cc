// Where things lie in a rank's memory.
#include "host/layout.h"

#include <gtest/gtest.h>

namespace arf {
namespace {

arf_config config(int tokens, int hidden, int dtype) {
  arf_config c{};
  c.max_tokens = tokens;
  c.max_hidden = hidden;
  c.max_dtype = dtype;
  return c;
}

TEST(Layout, PartsFollowEachOtherWithoutOverlap) {
  for (const int world : {2, 4, 8})
    for (const int tokens : {1, 3, 257, 4096})
      for (const int hidden : {8, 136, 2880, 7168, 16384}) {
        const Layout l = make_layout(world, config(tokens, hidden, ARF_FP32));
        const auto n = static_cast<uint64_t>(world);
        EXPECT_GE(l.stride * 16u, static_cast<uint64_t>(hidden) * 4);
        EXPECT_GE(l.shard_stride * n, l.stride);
        EXPECT_GE(l.scatter, l.oneshot + 2 * n * l.oneshot_rows * l.stride * 16);
        EXPECT_GE(l.gather, l.scatter + 2 * n * l.rows * l.shard_stride * 16);
        EXPECT_GE(l.mailbox, l.gather + 2 * uint64_t{l.rows} * l.stride * 16);
        EXPECT_GE(l.greetings, l.mailbox + 2 * uint64_t{l.rows} * l.stride * 16);
        if (world == 8) {
          EXPECT_GE(l.island_stride * 4u, l.stride);
          EXPECT_GE(l.island_scatter, l.mailbox + 2 * uint64_t{l.rows} * l.stride * 16);
          EXPECT_GE(l.twin, l.island_scatter + 2 * 4 * uint64_t{l.rows} * l.island_stride * 16);
          EXPECT_GE(l.island_gather, l.twin + 2 * uint64_t{l.rows} * l.island_stride * 2 * 16);
          EXPECT_GE(l.greetings, l.island_gather + 2 * uint64_t{l.rows} * l.stride * 16);
        }
        EXPECT_GE(l.total, l.greetings + kAlgorithmCount * 2 * n * l.rows * kLine);
        EXPECT_GE(l.poison, l.sequences + kCounters * uint64_t{l.rows} * kLine);
        EXPECT_GE(l.scratch, l.poison + 4);
        EXPECT_GE(l.local_total, l.scratch + uint64_t{l.rows} * l.stride * 16);
        EXPECT_EQ(l.stride % 32, 0u);
      }
}

TEST(Layout, OneShotRowsAreBoundedByBytes) {
  arf_config c = config(4096, 8192, ARF_BF16);
  c.oneshot_bytes = 1 << 20;
  EXPECT_EQ(make_layout(2, c).oneshot_rows, 64u);
  c.oneshot_bytes = 1;
  EXPECT_EQ(make_layout(2, c).oneshot_rows, 1u);
  c.max_tokens = 10;
  c.oneshot_bytes = uint64_t{1} << 30;
  EXPECT_EQ(make_layout(2, c).oneshot_rows, 10u);
}

// Sizes beyond 2^31 bytes.
TEST(Layout, BigCommunicators) {
  arf_config c = config(1 << 20, 16384, ARF_FP32);
  const Layout l = make_layout(8, c);
  EXPECT_GT(l.total, uint64_t{1} << 35);
  EXPECT_EQ(l.rows, 1u << 20);
}

}  // namespace
}  // namespace arf
