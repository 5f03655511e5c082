// One-shot allreduce: every rank writes its rows into every peer's inbox and sums what arrives in
// its own.
//
// One trip over the link; (N-1) times the tensor leaves every GPU. Best for small calls, and for
// two ranks at any size. A row is shared by the blocks of a cluster; a cluster takes every units-th
// row and is one row ahead with sending.
//
// Small calls are all latency: between the end of the kernel ahead and the first word on the link,
// and between the last word's arrival and the norm, nothing may be done that could be done before.
// So every address is made before the kernel ahead has ended, for both halves of the inboxes.
#pragma once

#include "epilogue.cuh"
#include "take.cuh"

namespace arf {

template <class T, int N, int P, int E>
class OneShot {
 public:
  __device__ __forceinline__ OneShot(const Call& c, const Place& place, FinishMemory<P, E>& memory)
      : c_(c), place_(place), finish_(c, place, memory), column_(place.column(0, P)) {
    greets_ = place.block == 0 && threadIdx.x < N - 1;
    greeter_ = (c.rank ^ (1 + threadIdx.x)) & (N - 1);
    greet_to_ = greeting_slot(c, greets_ ? greeter_ : c.rank, ARF_ONESHOT, 0, c.rank, 0, N);
    greet_from_ = greeting_slot(c, c.rank, ARF_ONESHOT, 0, greeter_, 0, N);
    in_ = static_cast<const Pack*>(c.in) + column_;
#pragma unroll
    for (int i = 1; i < N; i++) {
      to_[i] = static_cast<Pack*>(c.to[i]) + column_;
      from_[i] = static_cast<Pack*>(c.from[i]) + column_;
    }
    if constexpr (E != kQuantised) {  // registers are scarce there
      settle(greet_to_);
      settle(greet_from_);
      settle(in_);
    }
  }

  __device__ __forceinline__ void run() {
    wait_for_kernel_ahead();
    allow_next_kernel();
    uint32_t row = place_.unit;
    if (row >= c_.tokens) {
      finish_.ready();
      return;
    }
    Row now, next;
    fetch(row, now);
    send(row, now);
    finish_.ready();
    for (;;) {
      const uint32_t following = row + place_.units;
      const bool more = following < c_.tokens;
      if (more) {
        fetch(following, next);
        send(following, next);
      }
      receive(row, now);
      if (!more) return;
      row = following;
      now = next;
    }
  }

 private:
  struct Row {
    uint64_t counts;  // the row's two words; nothing may wait for them until it must
    Pack own[P];
    __device__ __forceinline__ uint32_t sequence() const {
      return static_cast<uint32_t>(counts) + 1;
    }
    __device__ __forceinline__ bool poisoned() const { return counts >> 32 != 0; }
  };

  __device__ __forceinline__ bool has(int j) const {
    return place_.column(j, P) < c_.packs;
  }
  // From a thread's first pack of a row to its j-th.
  __device__ __forceinline__ uint32_t apart(int j) const {
    return static_cast<uint32_t>(j) * blockDim.x;
  }

  // Packs from a thread's first slot of row 0 to that of a row, in the half that the sequence says.
  __device__ __forceinline__ uint64_t slot(uint32_t row, uint32_t sequence) const {
    return static_cast<uint64_t>(row) * c_.layout.stride +
           (test_parity(c_, sequence) != 0 ? c_.half : 0);
  }
  __device__ __forceinline__ uint64_t greeting_at(uint32_t row, uint32_t sequence) const {
    const uint64_t half =
        test_parity(c_, sequence) != 0 ? static_cast<uint64_t>(N) * c_.layout.rows : 0;
    return (row + half) * (kLine / sizeof(uint64_t));
  }

  // Issues the loads of a row.
  __device__ __forceinline__ void fetch(uint32_t row, Row& s) {
    test_delay(c_, 0);
    const Pack* const from = in_ + static_cast<uint64_t>(row) * c_.packs;
#pragma unroll
    for (int j = 0; j < P; j++)
      if (has(j)) s.own[j] = from[apart(j)];
    // Last: what is computed from it (early, by the compiler's choice) must not hold up the others.
    s.counts = load_inbox(reinterpret_cast<uint64_t*>(sequence_word(c_, kOneShotEnded, row)));
  }

  __device__ __forceinline__ void send(uint32_t row, Row& s) {
    test_early_sequence(c_, kOneShotEnded, row, s.sequence());
    const uint64_t at = slot(row, s.sequence());
#pragma unroll
    for (int j = 0; j < P; j++) {
      if (!has(j)) continue;
      const Pack x = sendable(s.own[j]);
#pragma unroll
      for (int i = 1; i < N; i++) store_peer(to_[i] + at + apart(j), x);
    }
    if (greets_)
      store_peer(greet_to_ + greeting_at(row, s.sequence()), greeting(s.sequence(), c_.signature));
  }

  __device__ __forceinline__ void receive(uint32_t row, Row& s) {
    test_delay(c_, 1);
    bool whole = !s.poisoned();
    Pack sum[P], residual[P];
    finish_.load(row, residual);
#pragma unroll
    for (int j = 0; j < P; j += kTogether) take(row, j, s, sum, whole);
    if (!whole)
#pragma unroll
      for (int j = 0; j < P; j++) sum[j] = {kNan, kNan, kNan, kNan};
    test_delay(c_, 2);
    finish_(row, sum, residual);
    if (place_.block == 0 && threadIdx.x == 0 && !test_keeps_sequence(c_))
      store_shared_word(sequence_word(c_, kOneShotEnded, row), s.sequence());
  }

  // Packs of a thread that are waited for at a time, as far as registers allow.
  static constexpr int kTogether = N * P <= 4 || (N * P <= 8 && E != kQuantised) ? P : 1;

  // Waits for the peers' packs first to first + kTogether - 1, empties their slots and gives the
  // sums. The threads that greet wait for their peer's greeting too. Peer i is rank ^ i: pairs of
  // the canonical tree are pairs for every rank, and addition commutes.
  __device__ __forceinline__ void take(uint32_t row, int first, const Row& s, Pack (&sum)[P],
                                       bool& whole) {
    const bool greets = first == 0 && greets_;
    const uint64_t* const hello = greet_from_ + greeting_at(row, s.sequence());
    const uint64_t at = slot(row, s.sequence());
    Pack x[kTogether][N];
    Patience patience(c_);
    for (;;) {
      uint64_t said = 0;
#pragma unroll
      for (int g = 0; g < kTogether; g++)
#pragma unroll
        for (int i = 1; i < N; i++)
          if (has(first + g)) x[g][i] = load_inbox(from_[i] + at + apart(first + g));
      if (greets) said = load_inbox(hello);
      bool here = true;
#pragma unroll
      for (int g = 0; g < kTogether; g++)
#pragma unroll
        for (int i = 1; i < N; i++) here = here && (!has(first + g) || arrived(x[g][i]));
      if (greets) {
        const bool came = static_cast<uint32_t>(said) == s.sequence();
        if (came && said >> 32 != c_.signature) {
          fail(c_, ARF_ERR_MISMATCH, greeter_, ARF_ONESHOT, kPhaseGather, row, s.sequence());
          whole = false;
          break;
        }
        here = here && came;
      }
      if (here) break;
      if (const uint32_t why = patience.ended(c_)) {
        uint32_t late = greeter_;
#pragma unroll
        for (int g = 0; g < kTogether; g++)
#pragma unroll
          for (int i = 1; i < N; i++)
            if (has(first + g) && !arrived(x[g][i])) late = c_.rank ^ i;
        fail(c_, why, late, ARF_ONESHOT, kPhaseGather, row, s.sequence());
        whole = false;
        break;
      }
    }
#pragma unroll
    for (int g = 0; g < kTogether; g++) {
      if (!has(first + g)) continue;
      x[g][0] = s.own[first + g];
      if (!test_keeps_inbox(c_))
#pragma unroll
        for (int i = 1; i < N; i++)
          from_[i][at + apart(first + g)] = {kEmpty, kEmpty, kEmpty, kEmpty};
      test_drop_rank<N>(c_, x[g]);
      sum[first + g] = tree_sum<T, N>(x[g]);
    }
  }

  const Call& c_;
  const Place& place_;
  Finish<T, P, E> finish_;
  const uint32_t column_;
  bool greets_;
  uint32_t greeter_;
  uint64_t *greet_to_, *greet_from_;
  const Pack* in_;
  Pack *to_[N], *from_[N];  // of row 0 in the first half
};

template <class T, int N, int P, int E>
__global__ void __launch_bounds__(512, N == 2 && P == 1 ? 2 : 1)
    oneshot(const __grid_constant__ Call c) {
  __shared__ FinishMemory<P, E> memory;
  fetch_parameters(c);
  const Place place;
  OneShot<T, N, P, E>(c, place, memory).run();
}

}  // namespace arf
