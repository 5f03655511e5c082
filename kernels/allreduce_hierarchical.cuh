// Allreduce of two islands (ranks 0 to N/2-1 and the rest), for machines where the way between them
// is the narrow one: two switches with one uplink each, two sockets.
//
// Inside an island segments of a row are dealt out as in the two-shot algorithm; each rank sums its
// own ones over its island, exchanges that with its twin in the other island (rank ^ N/2) and hands
// the rounded total to its island. So only a part of a row crosses, and only once. What crosses is
// fp32: the sum is the canonical tree's, whose last addition is that of the islands.
#pragma once

#include "epilogue.cuh"
#include "take.cuh"

namespace arf {

template <class T, int N, int P, int E>
class Hierarchical {
 public:
  __device__ __forceinline__ Hierarchical(const Call& c, const Place& place,
                                          FinishMemory<P, E>& memory)
      : c_(c), place_(place), finish_(c, place, memory) {}

  __device__ __forceinline__ void run() {
    wait_for_kernel_ahead();
    allow_next_kernel();
    poisoned_ = load_shared_word(poison_word(c_)) != 0;
    uint32_t sequence = 0, following = 0;
    Pack own[P], next[P];
    if (place_.unit < c_.tokens) scatter(place_.unit, sequence, own);
    finish_.ready();
    for (uint32_t row = place_.unit; row < c_.tokens; row += place_.units) {
      if (row + place_.units < c_.tokens) scatter(row + place_.units, following, next);
      bool whole = !poisoned_;
      reduce(row, sequence, own, whole);
      finish(row, sequence, own, whole);
      sequence = following;
#pragma unroll
      for (int j = 0; j < P; j++) own[j] = next[j];
    }
  }

 private:
  static constexpr int M = N / 2;                // ranks of an island
  static constexpr int kWide = T::kPerPack / 4;  // packs of fp32 that a pack's sums take
  static constexpr int kPer = T::kPerPack;

  __device__ __forceinline__ uint32_t owner(int j) const {
    return place_.segment(j, P) & (M - 1);
  }
  __device__ __forceinline__ bool mine(int j) const {
    return owner(j) == (c_.rank & (M - 1)) && place_.column(j, P) < c_.packs;
  }
  __device__ __forceinline__ uint32_t shard_column(int j) const {
    return place_.segment(j, P) / M * 32 + place_.lane;
  }
  __device__ __forceinline__ Pack* part(uint32_t of, uint64_t offset, uint64_t row_of_part,
                                        uint32_t stride) const {
    return reinterpret_cast<Pack*>(c_.region[of] + offset) + row_of_part * stride;
  }
  __device__ __forceinline__ Pack* scatter_inbox(uint32_t of, uint32_t parity, uint32_t source,
                                                 uint32_t row) const {
    const uint64_t at =
        (parity * M + (source & (M - 1))) * static_cast<uint64_t>(c_.layout.rows) + row;
    return part(of, c_.layout.island_scatter, at, c_.layout.island_stride);
  }
  __device__ __forceinline__ Pack* twin_inbox(uint32_t of, uint32_t parity, uint32_t row) const {
    const uint64_t at = parity * static_cast<uint64_t>(c_.layout.rows) + row;
    return part(of, c_.layout.twin, at, c_.layout.island_stride * 2);
  }
  __device__ __forceinline__ Pack* gather_inbox(uint32_t of, uint32_t parity, uint32_t row) const {
    const uint64_t at = parity * static_cast<uint64_t>(c_.layout.rows) + row;
    return part(of, c_.layout.island_gather, at, c_.layout.stride);
  }
  __device__ __forceinline__ Waiting waiting(uint32_t phase, uint32_t row,
                                             uint32_t sequence) const {
    return {ARF_HIERARCHICAL, phase, row, sequence};
  }

  __device__ __forceinline__ void scatter(uint32_t row, uint32_t& sequence, Pack (&own)[P]) {
    test_delay(c_, 0);
    sequence = load_shared_word(sequence_word(c_, kHierarchicalEnded, row)) + 1;
    test_early_sequence(c_, kHierarchicalEnded, row, sequence);
    const uint32_t parity = test_parity(c_, sequence);
    if (place_.block == 0 && threadIdx.x < N - 1)
      store_peer(
          greeting_slot(c_, c_.rank ^ (1 + threadIdx.x), ARF_HIERARCHICAL, parity, c_.rank, row, N),
          greeting(sequence, c_.signature));
#pragma unroll
    for (int j = 0; j < P; j++) {
      const uint32_t column = place_.column(j, P);
      if (column >= c_.packs) continue;
      own[j] = static_cast<const Pack*>(c_.in)[static_cast<uint64_t>(row) * c_.packs + column];
      if (mine(j)) continue;
      const uint32_t of = (c_.rank & ~(M - 1u)) | owner(j);
      store_peer(scatter_inbox(of, parity, c_.rank, row) + shard_column(j), sendable(own[j]));
    }
  }

  // Turns x from this rank's part into the sum over all ranks, where the segment is this rank's,
  // and hands it to the island.
  __device__ __forceinline__ void reduce(uint32_t row, uint32_t sequence, Pack (&x)[P],
                                         bool& whole) {
    const uint32_t parity = test_parity(c_, sequence);
    test_delay(c_, 1);
    float sum[P][kPer];
    Pack* const to_twin = twin_inbox(c_.rank ^ M, parity, row);
#pragma unroll
    for (int j = 0; j < P; j++) {
      if (!mine(j)) continue;
      island_sum(row, shard_column(j), parity, sequence, x[j], sum[j], whole);
#pragma unroll
      for (int q = 0; q < kWide; q++)
        store_peer(to_twin + shard_column(j) * kWide + q, sendable(wide(sum[j], q)));
    }
#pragma unroll
    for (int j = 0; j < P; j++) {
      if (!mine(j)) continue;
      x[j] = total(row, shard_column(j), parity, sequence, sum[j], whole);
#pragma unroll
      for (int i = 1; i < M; i++)
        store_peer(gather_inbox(c_.rank ^ i, parity, row) + place_.column(j, P), sendable(x[j]));
    }
  }

  static __device__ __forceinline__ Pack wide(const float (&sum)[kPer], int q) {
    return {__float_as_uint(sum[4 * q]), __float_as_uint(sum[4 * q + 1]),
            __float_as_uint(sum[4 * q + 2]), __float_as_uint(sum[4 * q + 3])};
  }

  // The sum over the island, in fp32; NaN if a part did not come.
  __device__ __forceinline__ void island_sum(uint32_t row, uint32_t column, uint32_t parity,
                                             uint32_t sequence, const Pack& own, float (&sum)[kPer],
                                             bool& whole) {
    Pack x[M];
    if constexpr (M > 1) {
      Pack* slot[M - 1];
      uint32_t peer[M - 1];
      Pack came[M - 1];
#pragma unroll
      for (int i = 1; i < M; i++) {
        peer[i - 1] = c_.rank ^ i;
        slot[i - 1] = scatter_inbox(c_.rank, parity, c_.rank ^ i, row) + column;
      }
      whole =
          take_packs<M - 1>(c_, waiting(kPhaseScatter, row, sequence), peer, slot, came) && whole;
#pragma unroll
      for (int i = 1; i < M; i++) x[i] = came[i - 1];
    }
    x[0] = own;
    test_drop_rank<M>(c_, x);
    tree_sum_fp32<T, M>(x, sum);
  }

  // The sum of both islands, rounded.
  __device__ __forceinline__ Pack total(uint32_t row, uint32_t column, uint32_t parity,
                                        uint32_t sequence, const float (&sum)[kPer], bool& whole) {
    Pack* slot[kWide];
    uint32_t peer[kWide];
    Pack theirs[kWide];
#pragma unroll
    for (int q = 0; q < kWide; q++) {
      peer[q] = c_.rank ^ M;
      slot[q] = twin_inbox(c_.rank, parity, row) + column * kWide + q;
    }
    whole = take_packs<kWide>(c_, waiting(kPhaseTwin, row, sequence), peer, slot, theirs) && whole;
    float both[kPer];
#pragma unroll
    for (int q = 0; q < kWide; q++) {
      const Pack& t = theirs[q];
      both[4 * q] = __fadd_rn(sum[4 * q], __uint_as_float(t.x));
      both[4 * q + 1] = __fadd_rn(sum[4 * q + 1], __uint_as_float(t.y));
      both[4 * q + 2] = __fadd_rn(sum[4 * q + 2], __uint_as_float(t.z));
      both[4 * q + 3] = __fadd_rn(sum[4 * q + 3], __uint_as_float(t.w));
    }
    return pack<T>(both);
  }

  __device__ __forceinline__ void finish(uint32_t row, uint32_t sequence, Pack (&sum)[P],
                                         bool whole) {
    const uint32_t parity = test_parity(c_, sequence);
    Pack residual[P];
    finish_.load(row, residual);
#pragma unroll
    for (int j = 0; j < P; j++) {
      if (mine(j) || place_.column(j, P) >= c_.packs) continue;
      Pack* const slot[1] = {gather_inbox(c_.rank, parity, row) + place_.column(j, P)};
      const uint32_t peer[1] = {(c_.rank & ~(M - 1u)) | owner(j)};
      Pack came[1];
      whole = take_packs<1>(c_, waiting(kPhaseGather, row, sequence), peer, slot, came) && whole;
      sum[j] = came[0];
    }
    if (place_.block == 0 && threadIdx.x < N - 1)
      whole = greeted(c_, waiting(kPhaseGather, row, sequence), c_.rank ^ (1 + threadIdx.x), parity,
                      N) &&
              whole;
    if (!whole)
#pragma unroll
      for (int j = 0; j < P; j++) sum[j] = {kNan, kNan, kNan, kNan};
    test_delay(c_, 2);
    finish_(row, sum, residual);
    if (place_.block == 0 && threadIdx.x == 0 && !test_keeps_sequence(c_))
      store_shared_word(sequence_word(c_, kHierarchicalEnded, row), sequence);
  }

  const Call& c_;
  const Place& place_;
  Finish<T, P, E> finish_;
  bool poisoned_;
};

template <class T, int N, int P, int E>
__global__ void __launch_bounds__(512, 1) hierarchical(const __grid_constant__ Call c) {
  __shared__ FinishMemory<P, E> memory;
  fetch_parameters(c);
  const Place place;
  Hierarchical<T, N, P, E>(c, place, memory).run();
}

}  // namespace arf
