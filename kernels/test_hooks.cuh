// Delays and deliberate mistakes of the test build (ARF_TEST). The product has none of them.
#pragma once

#include "call.h"
#include "format.cuh"
#include "wait.cuh"

namespace arf {

__device__ __forceinline__ bool test_fault(const Call& c, uint32_t fault) {
#ifdef ARF_TEST
  return (c.faults & fault) != 0;
#else
  return false;
#endif
}

__device__ __forceinline__ uint32_t test_parity(const Call& c, uint32_t sequence) {
  return test_fault(c, kFaultOneHalf) ? 0 : sequence & 1;
}

__device__ __forceinline__ bool test_keeps_inbox(const Call& c) {
  return test_fault(c, kFaultKeepInbox);
}

__device__ __forceinline__ bool test_keeps_sequence(const Call& c) {
  return test_fault(c, kFaultEarlySequence);
}

__device__ __forceinline__ void test_early_sequence(const Call& c, Counter counter, uint32_t row,
                                                    uint32_t sequence) {
  if (test_fault(c, kFaultEarlySequence) && threadIdx.x == 0)
    store_shared_word(sequence_word(c, counter, row), sequence);
}

// x[i] is rank ^ i's.
template <int N>
__device__ __forceinline__ void test_drop_rank(const Call& c, Pack (&x)[N]) {
  if (!test_fault(c, kFaultDropRank)) return;
#pragma unroll
  for (int i = 0; i < N; i++)
    if ((c.rank ^ i) == N - 1) x[i] = {0, 0, 0, 0};
}

__device__ __forceinline__ void test_delay(const Call& c, int where) {
#ifdef ARF_TEST
  if (c.delay_ns[where] == 0) return;
  if (c.delayed_warp != ~0u && c.delayed_warp != threadIdx.x >> 5) return;
  const uint64_t start = global_nanoseconds();
  while (global_nanoseconds() - start < c.delay_ns[where]) __nanosleep(100);
#endif
}

}  // namespace arf
