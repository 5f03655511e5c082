// Two-shot allreduce: segments of a row (32 packs) are dealt out to the ranks; each rank sums its
// own segments from what the peers send it and sends the rounded sums to all.
//
// Two trips over the link, but only 2(N-1)/N times the tensor leaves every GPU. Both trips use
// inboxes of self-describing words, so there is no fence or flag in either. Rows are dealt out as
// in the one-shot algorithm; of the three stages (scatter, reduce, finish) a cluster is one row
// apart in each, so that neither the link nor the memory waits for the other.
#pragma once

#include "epilogue.cuh"
#include "take.cuh"

namespace arf {

template <class T, int N, int P, int E>
class TwoShot {
 public:
  __device__ __forceinline__ TwoShot(const Call& c, const Place& place, FinishMemory<P, E>& memory)
      : c_(c), place_(place), finish_(c, place, memory) {}

  __device__ __forceinline__ void run() {
    wait_for_kernel_ahead();
    allow_next_kernel();
    poisoned_ = load_shared_word(poison_word(c_)) != 0;
    const uint32_t first = place_.unit, step = place_.units, rows = c_.tokens;
    uint32_t sequence[3];
    Pack own[P], held[P], sum[P];
    bool ready = false;
    // `row` is scattered, the one before it reduced, the one before that finished.
    for (uint32_t row = first; row < rows + 2 * step; row += step) {
      if (row < rows) scatter(row, sequence[0], own);
      if (!ready) finish_.ready();
      ready = true;
      bool whole = !poisoned_;
      if (row >= first + step && row - step < rows) reduce(row - step, sequence[1], held, whole);
      if (row >= first + 2 * step) finish(row - 2 * step, sequence[2], sum, whole);
      sequence[2] = sequence[1];
      sequence[1] = sequence[0];
#pragma unroll
      for (int j = 0; j < P; j++) {
        sum[j] = held[j];
        held[j] = own[j];
      }
    }
    if (!ready) finish_.ready();
  }

 private:
  __device__ __forceinline__ bool mine(int j) const {
    return (place_.segment(j, P) & (N - 1)) == c_.rank;
  }

  // Where `source` leaves its part of a row for owner `of`; indexed by the owner's shard column.
  __device__ __forceinline__ Pack* scatter_inbox(uint32_t of, uint32_t parity, uint32_t source,
                                                 uint32_t row) const {
    auto* all = reinterpret_cast<Pack*>(c_.region[of] + c_.layout.scatter);
    return all + ((parity * N + source) * static_cast<uint64_t>(c_.layout.rows) + row) *
                     c_.layout.shard_stride;
  }
  __device__ __forceinline__ Pack* gather_inbox(uint32_t of, uint32_t parity, uint32_t row) const {
    auto* all = reinterpret_cast<Pack*>(c_.region[of] + c_.layout.gather);
    return all + (parity * static_cast<uint64_t>(c_.layout.rows) + row) * c_.layout.stride;
  }
  __device__ __forceinline__ uint32_t shard_column(int j) const {
    return place_.segment(j, P) / N * 32 + place_.lane;
  }

  __device__ __forceinline__ void scatter(uint32_t row, uint32_t& sequence, Pack (&own)[P]) {
    test_delay(c_, 0);
    sequence = load_shared_word(sequence_word(c_, kTwoShotEnded, row)) + 1;
    test_early_sequence(c_, kTwoShotEnded, row, sequence);
#pragma unroll
    for (int j = 0; j < P; j++) {
      const uint32_t column = place_.column(j, P);
      if (column < c_.packs)
        own[j] = static_cast<const Pack*>(c_.in)[static_cast<uint64_t>(row) * c_.packs + column];
    }
    const uint32_t parity = test_parity(c_, sequence);
    if (place_.block == 0 && threadIdx.x < N - 1)
      store_peer(
          greeting_slot(c_, c_.rank ^ (1 + threadIdx.x), ARF_TWOSHOT, parity, c_.rank, row, N),
          greeting(sequence, c_.signature));
#pragma unroll
    for (int j = 0; j < P; j++) {
      const uint32_t owner = place_.segment(j, P) & (N - 1);
      if (owner != c_.rank && place_.column(j, P) < c_.packs)
        store_peer(scatter_inbox(owner, parity, c_.rank, row) + shard_column(j), sendable(own[j]));
    }
  }

  // Turns x from this rank's part into the sum, where the segment is this rank's, and sends it to
  // all.
  __device__ __forceinline__ void reduce(uint32_t row, uint32_t sequence, Pack (&x)[P],
                                         bool& whole) {
    const uint32_t parity = test_parity(c_, sequence);
    test_delay(c_, 1);
#pragma unroll
    for (int j = 0; j < P; j++) {
      const uint32_t column = place_.column(j, P);
      if (!mine(j) || column >= c_.packs) continue;
      x[j] = take_parts(row, shard_column(j), parity, sequence, x[j], whole);
#pragma unroll
      for (int i = 1; i < N; i++)
        store_peer(gather_inbox(c_.rank ^ i, parity, row) + column, sendable(x[j]));
    }
  }

  __device__ __forceinline__ Pack take_parts(uint32_t row, uint32_t column, uint32_t parity,
                                             uint32_t sequence, const Pack& own, bool& whole) {
    // Peer i is rank ^ i: pairs of the canonical tree are pairs for every rank, and addition
    // commutes.
    Pack* slot[N - 1];
    uint32_t peer[N - 1];
    Pack theirs[N - 1], x[N];
#pragma unroll
    for (int i = 1; i < N; i++) {
      peer[i - 1] = c_.rank ^ i;
      slot[i - 1] = scatter_inbox(c_.rank, parity, c_.rank ^ i, row) + column;
    }
    const bool came =
        take_packs<N - 1>(c_, {ARF_TWOSHOT, kPhaseScatter, row, sequence}, peer, slot, theirs);
    x[0] = own;
#pragma unroll
    for (int i = 1; i < N; i++) x[i] = theirs[i - 1];
    test_drop_rank<N>(c_, x);
    if (came) return tree_sum<T, N>(x);
    whole = false;
    return {kNan, kNan, kNan, kNan};
  }

  __device__ __forceinline__ void finish(uint32_t row, uint32_t sequence, Pack (&sum)[P],
                                         bool& whole) {
    const uint32_t parity = test_parity(c_, sequence);
    Pack residual[P];
    finish_.load(row, residual);
#pragma unroll
    for (int j = 0; j < P; j++) {
      const bool greets = j == 0 && place_.block == 0 && threadIdx.x < N - 1;
      take_sum(row, place_.column(j, P), parity, sequence, greets,
               !mine(j) && place_.column(j, P) < c_.packs, sum[j], whole);
    }
    if (!whole)
#pragma unroll
      for (int j = 0; j < P; j++) sum[j] = {kNan, kNan, kNan, kNan};
    test_delay(c_, 2);
    finish_(row, sum, residual);
    if (place_.block == 0 && threadIdx.x == 0 && !test_keeps_sequence(c_))
      store_shared_word(sequence_word(c_, kTwoShotEnded, row), sequence);
  }

  // Waits for the owner's sum (if `data`) and a peer's greeting (if `greets`).
  __device__ __forceinline__ void take_sum(uint32_t row, uint32_t column, uint32_t parity,
                                           uint32_t sequence, bool greets, bool data, Pack& sum,
                                           bool& whole) {
    if (!greets && !data) return;
    Pack* const slot = gather_inbox(c_.rank, parity, row) + column;
    const uint32_t greeter = (c_.rank ^ (1 + threadIdx.x)) & (N - 1);
    const uint64_t* const hello = greeting_slot(c_, c_.rank, ARF_TWOSHOT, parity, greeter, row, N);
    Patience patience(c_);
    for (;;) {
      uint64_t said = 0;
      if (greets) said = load_inbox(hello);
      if (data) sum = load_inbox(slot);
      const bool came = !data || arrived(sum);
      const bool greeted = !greets || static_cast<uint32_t>(said) == sequence;
      if (greets && greeted && said >> 32 != c_.signature) {
        fail(c_, ARF_ERR_MISMATCH, greeter, ARF_TWOSHOT, kPhaseGather, row, sequence);
        whole = false;
        break;
      }
      if (came && greeted) break;
      if (const uint32_t why = patience.ended(c_)) {
        fail(c_, why, came ? greeter : (column >> 5) & (N - 1), ARF_TWOSHOT, kPhaseGather, row,
             sequence);
        whole = false;
        break;
      }
    }
    if (data && !test_keeps_inbox(c_)) *slot = {kEmpty, kEmpty, kEmpty, kEmpty};
  }

  const Call& c_;
  const Place& place_;
  Finish<T, P, E> finish_;
  bool poisoned_;
};

template <class T, int N, int P, int E>
__global__ void __launch_bounds__(512, 1) twoshot(const __grid_constant__ Call c) {
  __shared__ FinishMemory<P, E> memory;
  fetch_parameters(c);
  const Place place;
  TwoShot<T, N, P, E>(c, place, memory).run();
}

}  // namespace arf
