// Waiting for packs that peers send, and for their greetings.
#pragma once

#include "test_hooks.cuh"
#include "wait.cuh"

namespace arf {

// What is waited for: what a failure's record says.
struct Waiting {
  uint32_t algorithm, phase, row, sequence;
};

// Waits for K packs, the k-th of them from peer[k], and empties their slots. Whether all came.
template <int K>
__device__ __forceinline__ bool take_packs(const Call& c, const Waiting& w,
                                           const uint32_t (&peer)[K], Pack* const (&slot)[K],
                                           Pack (&x)[K]) {
  Patience patience(c);
  bool came = true;
  for (;;) {
#pragma unroll
    for (int k = 0; k < K; k++) x[k] = load_inbox(slot[k]);
    bool here = true;
#pragma unroll
    for (int k = 0; k < K; k++) here = here && arrived(x[k]);
    if (here) break;
    if (const uint32_t why = patience.ended(c)) {
      uint32_t late = peer[0];
#pragma unroll
      for (int k = 0; k < K; k++)
        if (!arrived(x[k])) late = peer[k];
      fail(c, why, late, w.algorithm, w.phase, w.row, w.sequence);
      came = false;
      break;
    }
  }
  if (!test_keeps_inbox(c))
#pragma unroll
    for (int k = 0; k < K; k++) *slot[k] = {kEmpty, kEmpty, kEmpty, kEmpty};
  return came;
}

// Waits for a peer's greeting; whether it came, and of the same call.
__device__ __forceinline__ bool greeted(const Call& c, const Waiting& w, uint32_t peer,
                                        uint32_t parity, int world) {
  const uint64_t* const hello =
      greeting_slot(c, c.rank, w.algorithm, parity, peer & (world - 1u), w.row, world);
  Patience patience(c);
  for (;;) {
    const uint64_t said = load_inbox(hello);
    if (static_cast<uint32_t>(said) == w.sequence) {
      if (said >> 32 == c.signature) return true;
      fail(c, ARF_ERR_MISMATCH, peer, w.algorithm, w.phase, w.row, w.sequence);
      return false;
    }
    if (const uint32_t why = patience.ended(c)) {
      fail(c, why, peer, w.algorithm, w.phase, w.row, w.sequence);
      return false;
    }
  }
}

}  // namespace arf
