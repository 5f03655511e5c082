// One-shot allreduce by reading: every rank leaves its rows in its own memory, tells the peers so,
// and reads theirs.
//
// For links that collapse under many writers, and for large calls through host memory, where it
// moves each byte once in each direction (an inbox of self-describing words moves it three times:
// sent, taken, emptied). The peers' words say nothing of themselves here, so a row is announced by
// its greeting: data, barrier, one fence of system scope, greeting; and a reader that has seen the
// greeting fences before it reads. That is a trip more than the one-shot algorithm has.
#pragma once

#include "epilogue.cuh"
#include "take.cuh"

namespace arf {

template <class T, int N, int P, int E>
class Pull {
 public:
  __device__ __forceinline__ Pull(const Call& c, const Place& place, FinishMemory<P, E>& memory)
      : c_(c), place_(place), finish_(c, place, memory) {}

  __device__ __forceinline__ void run() {
    wait_for_kernel_ahead();
    allow_next_kernel();
    poisoned_ = load_shared_word(poison_word(c_)) != 0;
    finish_.ready();
    const uint32_t step = place_.units;
    uint32_t sequence = 0, following = 0;
    Pack own[P], next[P];
    if (place_.unit < c_.tokens) publish(place_.unit, sequence, own);
    // A row ahead with publishing, so that writes and reads are under way at a time.
    for (uint32_t row = place_.unit; row < c_.tokens; row += step) {
      if (row + step < c_.tokens) publish(row + step, following, next);
      receive(row, sequence, own);
      sequence = following;
#pragma unroll
      for (int j = 0; j < P; j++) own[j] = next[j];
    }
  }

 private:
  __device__ __forceinline__ Pack* mailbox(uint32_t of, uint32_t parity, uint32_t row) const {
    auto* all = reinterpret_cast<Pack*>(c_.region[of] + c_.layout.mailbox);
    return all + (parity * static_cast<uint64_t>(c_.layout.rows) + row) * c_.layout.stride;
  }

  // Leaves this rank's part of a row where the peers read it.
  __device__ __forceinline__ void publish(uint32_t row, uint32_t& sequence, Pack (&own)[P]) {
    test_delay(c_, 0);
    sequence = load_shared_word(sequence_word(c_, kPullEnded, row)) + 1;
    test_early_sequence(c_, kPullEnded, row, sequence);
    const uint32_t parity = test_parity(c_, sequence);
    Pack* const to = mailbox(c_.rank, parity, row);
#pragma unroll
    for (int j = 0; j < P; j++) {
      const uint32_t column = place_.column(j, P);
      if (column >= c_.packs) continue;
      own[j] = static_cast<const Pack*>(c_.in)[static_cast<uint64_t>(row) * c_.packs + column];
      store_peer(to + column, own[j]);
    }
    if (!test_fault(c_, kFaultNoBarrier)) row_barrier();
    if (place_.block != 0 || threadIdx.x != 0) return;
    fence_system();
#pragma unroll
    for (int i = 1; i < N; i++)
      store_peer(greeting_slot(c_, c_.rank ^ i, ARF_PULL, parity, c_.rank, row, N),
                 greeting(sequence, c_.signature));
  }

  // Every thread that works on the row.
  __device__ __forceinline__ void row_barrier() const {
#if ARF_HAS_CLUSTERS
    if (place_.blocks > 1) {
      __syncwarp();
      cluster_arrive();
      cluster_wait();
      return;
    }
#endif
    __syncthreads();
  }

  __device__ __forceinline__ void receive(uint32_t row, uint32_t sequence, const Pack (&own)[P]) {
    const uint32_t parity = test_parity(c_, sequence);
    Pack residual[P], sum[P];
    finish_.load(row, residual);
    test_delay(c_, 1);
    const bool whole = met(row, sequence, parity) && !poisoned_;
#pragma unroll
    for (int first = 0; first < P; first += kTogether) read(row, first, parity, whole, own, sum);
    test_delay(c_, 2);
    finish_(row, sum, residual);
    if (place_.block == 0 && threadIdx.x == 0 && !test_keeps_sequence(c_))
      store_shared_word(sequence_word(c_, kPullEnded, row), sequence);
  }

  // Packs of a thread that are on their way at a time, as far as registers allow.
  static constexpr int kTogether = N * P <= 8 ? P : 1;

  // Reads the peers' packs first to first + kTogether - 1 and gives the sums.
  __device__ __forceinline__ void read(uint32_t row, int first, uint32_t parity, bool whole,
                                       const Pack (&own)[P], Pack (&sum)[P]) {
    Pack x[kTogether][N];
#pragma unroll
    for (int g = 0; g < kTogether; g++) {
      const uint32_t column = place_.column(first + g, P);
#pragma unroll
      for (int i = 1; i < N; i++)
        if (whole && column < c_.packs)
          x[g][i] = load_inbox(mailbox(c_.rank ^ i, parity, row) + column);
    }
#pragma unroll
    for (int g = 0; g < kTogether; g++) {
      sum[first + g] = {kNan, kNan, kNan, kNan};
      if (!whole || place_.column(first + g, P) >= c_.packs) continue;
      x[g][0] = own[first + g];
      test_drop_rank<N>(c_, x[g]);
      sum[first + g] = tree_sum<T, N>(x[g]);
    }
  }

  // Waits until every peer has announced the row; whether all did. A thread a peer looks, in every
  // block.
  __device__ __forceinline__ bool met(uint32_t row, uint32_t sequence, uint32_t parity) {
    bool good = true;
    if (threadIdx.x < N - 1) {
      good = greeted(c_, {ARF_PULL, kPhaseGather, row, sequence}, c_.rank ^ (1 + threadIdx.x),
                     parity, N);
      fence_system();
    }
    return __syncthreads_and(good) != 0;
  }

  const Call& c_;
  const Place& place_;
  Finish<T, P, E> finish_;
  bool poisoned_;
};

template <class T, int N, int P, int E>
__global__ void __launch_bounds__(512, 1) pull(const __grid_constant__ Call c) {
  __shared__ FinishMemory<P, E> memory;
  fetch_parameters(c);
  const Place place;
  Pull<T, N, P, E>(c, place, memory).run();
}

}  // namespace arf
