// One-shot allreduce: every rank writes its rows into every peer's inbox and sums what arrives in
// its own.
//
// One trip over the link; (N-1) times the tensor leaves every GPU. Best for small calls, and for
// two ranks at any size. A row is shared by the blocks of a cluster; a cluster takes every units-th
// row and is one row ahead with sending.
//
// Where there are several rows a cluster, the first clusters of the grid may be senders: they send
// every row, the others only take and finish. A cluster that does both leaves the link idle while it
// finishes a row, and all clusters do so at about the same time.
#pragma once

#include "epilogue.cuh"
#include "test_hooks.cuh"
#include "wait.cuh"

namespace arf {

template <class T, int N, int P, int E>
class OneShot {
 public:
  __device__ __forceinline__ OneShot(const Call& c, const Place& place, FinishMemory<P>& memory)
      : c_(c), place_(place), finish_(c, place, memory) {}

  __device__ __forceinline__ void run() {
    begin(c_);
    poisoned_ = load_shared_word(poison_word(c_)) != 0;
    if (place_.unit < c_.senders) {
      send_rows();
      finish_.ready();
      return;
    }
    const uint32_t step = place_.units - c_.senders;
    uint32_t row = place_.unit - c_.senders;
    if (row >= c_.tokens) {
      finish_.ready();
      return;
    }
    Row now, next;
    fetch(row, now);
    if constexpr (kFetchesAhead) fetch(row + step, next);
    send(row, now);
    finish_.ready();
    for (;;) {
      const uint32_t following = row + step;
      const bool more = following < c_.tokens;
      Row third;
      if constexpr (kFetchesAhead) {
        if (more) send(following, next);
        fetch(following + step, third);
      } else if (more) {
        fetch(following, next);
        send(following, next);
      }
      receive(row, now);
      if (!more) return;
      row = following;
      now = next;
      if constexpr (kFetchesAhead) next = third;
    }
  }

 private:
  // With two ranks the link is busy from the first row to the last, so a row's loads are issued a
  // whole row before they are needed. With more ranks the registers are needed for the peers'
  // packs.
  static constexpr bool kFetchesAhead = N == 2;
  static constexpr bool kResidualAhead = kFetchesAhead && E == kNorm;

  struct Row {
    uint32_t sequence;
    Pack own[P], residual[P];
  };

  __device__ __forceinline__ Pack* inbox(uint32_t of, uint32_t parity, uint32_t source,
                                         uint32_t row) const {
    auto* all = reinterpret_cast<Pack*>(c_.region[of] + c_.layout.oneshot);
    return all + ((parity * N + source) * static_cast<uint64_t>(c_.layout.oneshot_rows) + row) *
                     c_.layout.stride;
  }

  // Issues the loads of a row, if there is such a row.
  __device__ __forceinline__ void fetch(uint32_t row, Row& s) {
    if (row >= c_.tokens) return;
    test_delay(c_, 0);
    s.sequence = load_shared_word(sequence_word(c_, kOneShotTaken, row)) + 1;
#pragma unroll
    for (int j = 0; j < P; j++) {
      const uint32_t column = place_.column(j, P);
      if (column < c_.packs)
        s.own[j] = static_cast<const Pack*>(c_.in)[static_cast<uint64_t>(row) * c_.packs + column];
    }
    if constexpr (kResidualAhead) finish_.load(row, s.residual);
  }

  __device__ __forceinline__ void send(uint32_t row, Row& s) {
    test_early_sequence(c_, kOneShotTaken, row, s.sequence);
    if (c_.senders != 0) return;
    const uint32_t parity = test_parity(c_, s.sequence);
    if (place_.block == 0 && threadIdx.x < N - 1)
      store_peer(
          greeting_slot(c_, c_.rank ^ (1 + threadIdx.x), ARF_ONESHOT, parity, c_.rank, row, N),
          greeting(s.sequence, c_.signature));
#pragma unroll
    for (int i = 1; i < N; i++) {
      Pack* to = inbox(c_.rank ^ i, parity, c_.rank, row);
#pragma unroll
      for (int j = 0; j < P; j++) {
        const uint32_t column = place_.column(j, P);
        if (column < c_.packs) store_peer(to + column, sendable(s.own[j]));
      }
    }
  }

  __device__ __forceinline__ void receive(uint32_t row, Row& s) {
    const uint32_t parity = test_parity(c_, s.sequence);
    test_delay(c_, 1);
    bool whole = !poisoned_;
    Pack sum[P];
    if constexpr (!kResidualAhead) finish_.load(row, s.residual);
#pragma unroll
    for (int j = 0; j < P; j += kTogether) take(row, j, parity, s, sum, whole);
    if (!whole)
#pragma unroll
      for (int j = 0; j < P; j++) sum[j] = {kNan, kNan, kNan, kNan};
    test_delay(c_, 2);
    finish_(row, sum, s.residual);
    if (place_.block != 0 || threadIdx.x != 0) return;
    if (!test_keeps_sequence(c_))
      store_shared_word(sequence_word(c_, kOneShotTaken, row), s.sequence);
    if (c_.senders == 0) store_shared_word(sequence_word(c_, kOneShotSent, row), s.sequence);
  }

  // Packs of a thread on their way at a time.
  static constexpr int kInFlight = 4;

  // Sends every row that is this block's to send. It waits for nobody.
  __device__ __forceinline__ void send_rows() {
    const uint32_t first = place_.unit * place_.blocks + place_.block;
    const uint32_t step = c_.senders * place_.blocks;
    uint32_t row = first, column = threadIdx.x;
    test_delay(c_, 0);
    while (row < c_.tokens) {
      Pack own[kInFlight];
      uint32_t rows[kInFlight], columns[kInFlight], sequence[kInFlight];
#pragma unroll
      for (int k = 0; k < kInFlight; k++) {
        for (; column >= c_.packs; column -= c_.packs) row += step;
        rows[k] = row;
        columns[k] = column;
        column += blockDim.x;
        if (row >= c_.tokens) continue;
        sequence[k] = load_shared_word(sequence_word(c_, kOneShotSent, row)) + 1;
        own[k] =
            static_cast<const Pack*>(c_.in)[static_cast<uint64_t>(row) * c_.packs + columns[k]];
      }
#pragma unroll
      for (int k = 0; k < kInFlight; k++) {
        if (rows[k] >= c_.tokens) continue;
        const uint32_t parity = test_parity(c_, sequence[k]);
        if (columns[k] < N - 1)
          store_peer(greeting_slot(c_, c_.rank ^ (1 + columns[k]), ARF_ONESHOT, parity, c_.rank,
                                   rows[k], N),
                     greeting(sequence[k], c_.signature));
#pragma unroll
        for (int i = 1; i < N; i++)
          store_peer(inbox(c_.rank ^ i, parity, c_.rank, rows[k]) + columns[k], sendable(own[k]));
        test_early_sequence(c_, kOneShotSent, rows[k], sequence[k]);
      }
    }
    // Every warp has read the counts by now.
    __syncthreads();
    for (row = first + threadIdx.x * step; row < c_.tokens; row += blockDim.x * step) {
      uint32_t* const count = sequence_word(c_, kOneShotSent, row);
      if (!test_keeps_sequence(c_)) store_shared_word(count, load_shared_word(count) + 1);
    }
  }

  // Packs of a thread that are waited for at a time, as far as registers allow.
  static constexpr int kTogether = N * P <= 4 || (N * P <= 8 && E != kQuantised) ? P : 1;

  // Waits for the peers' packs of columns first to first + kTogether - 1, empties their slots and
  // gives the sums. The threads that greet wait for their peer's greeting too.
  __device__ __forceinline__ void take(uint32_t row, int first, uint32_t parity, const Row& s,
                                       Pack (&sum)[P], bool& whole) {
    const uint32_t greeter = c_.rank ^ (1 + threadIdx.x);
    const bool greets = first == 0 && place_.block == 0 && threadIdx.x < N - 1;
    const uint64_t* const hello =
        greeting_slot(c_, c_.rank, ARF_ONESHOT, parity, greeter & (N - 1), row, N);
    Pack* slot[N];
    bool data[kTogether];
    // Peer i is rank ^ i: pairs of the canonical tree are pairs for every rank, and addition
    // commutes.
#pragma unroll
    for (int i = 1; i < N; i++) slot[i] = inbox(c_.rank, parity, c_.rank ^ i, row);
    Pack x[kTogether][N];
#pragma unroll
    for (int g = 0; g < kTogether; g++) data[g] = place_.column(first + g, P) < c_.packs;
    Patience patience;
    for (;;) {
      uint64_t said = 0;
      if (greets) said = load_inbox(hello);
#pragma unroll
      for (int g = 0; g < kTogether; g++)
#pragma unroll
        for (int i = 1; i < N; i++)
          if (data[g]) x[g][i] = load_inbox(slot[i] + place_.column(first + g, P));
      bool here = true;
#pragma unroll
      for (int g = 0; g < kTogether; g++)
#pragma unroll
        for (int i = 1; i < N; i++) here = here && (!data[g] || arrived(x[g][i]));
      if (greets) {
        const bool greeted = static_cast<uint32_t>(said) == s.sequence;
        if (greeted && said >> 32 != c_.signature) {
          fail(c_, ARF_ERR_MISMATCH, greeter, ARF_ONESHOT, kPhaseGather, row, s.sequence);
          whole = false;
          break;
        }
        here = here && greeted;
      }
      if (here) break;
      if (const uint32_t why = patience.ended(c_)) {
        uint32_t late = greeter;
#pragma unroll
        for (int g = 0; g < kTogether; g++)
#pragma unroll
          for (int i = 1; i < N; i++)
            if (data[g] && !arrived(x[g][i])) late = c_.rank ^ i;
        fail(c_, why, late, ARF_ONESHOT, kPhaseGather, row, s.sequence);
        whole = false;
        break;
      }
    }
#pragma unroll
    for (int g = 0; g < kTogether; g++) {
      if (!data[g]) continue;
      x[g][0] = s.own[first + g];
      if (!test_keeps_inbox(c_))
#pragma unroll
        for (int i = 1; i < N; i++)
          slot[i][place_.column(first + g, P)] = {kEmpty, kEmpty, kEmpty, kEmpty};
      test_drop_rank<N>(c_, x[g]);
      sum[first + g] = tree_sum<T, N>(x[g]);
    }
  }

  const Call& c_;
  const Place& place_;
  Finish<T, P, E> finish_;
  bool poisoned_;
};

template <class T, int N, int P, int E>
__global__ void __launch_bounds__(512, N == 2 && P == 1 ? 2 : 1)
    oneshot(const __grid_constant__ Call c) {
  __shared__ FinishMemory<P> memory;
  const Place place;
  OneShot<T, N, P, E>(c, place, memory).run();
}

}  // namespace arf
