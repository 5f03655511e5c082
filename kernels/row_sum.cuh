// The sum, or the largest, of one number a thread over all threads that share a row, within a block
// or a cluster of blocks.
//
// The order of summation depends on the number of columns alone: 32 neighbouring packs (a segment)
// are summed by shuffles, the segments one after another in four strands. So the result does not
// depend on how a row is spread over warps, blocks and packs a thread.
//
// In a cluster every warp writes its segment's sum straight into the shared memory of every block
// and counts it in on that block's barrier: one trip between SMs, where a cluster barrier and a
// read of the others' sums take three.
#pragma once

#include "ptx.cuh"

namespace arf {

constexpr int kMaxSegments = 128;

// Which part of a row this thread works on.
struct Place {
  uint32_t blocks, block;  // in the cluster; this one
  uint32_t warp, lane;     // in the block
  uint32_t warps;          // of a block
  uint32_t unit, units;    // cluster in the grid; clusters

  __device__ __forceinline__ Place() {
#if ARF_HAS_CLUSTERS
    blocks = cluster_size();
    block = cluster_rank();
#else
    blocks = 1;
    block = 0;
#endif
    warp = threadIdx.x >> 5;
    lane = threadIdx.x & 31;
    warps = blockDim.x >> 5;
    unit = blockIdx.x / blocks;
    units = gridDim.x / blocks;
  }
  // The segment of this thread's j-th pack, of `packs` a thread.
  __device__ __forceinline__ uint32_t segment(int j, int packs) const {
    return (block * packs + j) * warps + warp;
  }
  __device__ __forceinline__ uint32_t column(int j, int packs) const {
    return segment(j, packs) * 32 + lane;
  }
};

struct RowSumMemory {
  alignas(16) float segment[2][kMaxSegments];
  uint64_t barrier[2];
};

template <int P>
class RowSum {
 public:
  // Must be called by all threads, at the start of the kernel.
  __device__ __forceinline__ RowSum(RowSumMemory& memory, const Place& place)
      : m_(memory), place_(place) {
    segments_ = place.blocks * place.warps * P;
    // What lies between the last segment and a multiple of four stays zero.
    if (threadIdx.x < 8) {
      const uint32_t at = segments_ + (threadIdx.x & 3);
      if (at < kMaxSegments) m_.segment[threadIdx.x >> 2][at] = 0;
    }
#if ARF_HAS_CLUSTERS
    if (place_.blocks > 1) {
      if (threadIdx.x == 0) {
        barrier_init(shared_address(&m_.barrier[0]));
        barrier_init(shared_address(&m_.barrier[1]));
        barrier_init_visible();
      }
      __syncwarp();
      cluster_arrive();
    }
#endif
  }

  // All threads, once, before the first sum.
  __device__ __forceinline__ void ready() {
#if ARF_HAS_CLUSTERS
    if (place_.blocks > 1) cluster_wait();
#endif
  }

  // The sum over the row. All threads of the row must call it, for every row. When it returns,
  // every thread of the row has entered it.
  __device__ __forceinline__ float operator()(float (&v)[P]) {
    return over_row<Sum>(v);
  }

  // The largest over the row, in the order of bit patterns; likewise.
  __device__ __forceinline__ uint32_t most(const uint32_t (&v)[P]) {
    float bits[P];
#pragma unroll
    for (int j = 0; j < P; j++) bits[j] = __uint_as_float(v[j]);
    return __float_as_uint(over_row<Most>(bits));
  }

 private:
  struct Sum {
    static __device__ __forceinline__ float of(float a, float b) { return a + b; }
  };
  struct Most {
    static __device__ __forceinline__ float of(float a, float b) {
      return __uint_as_float(max(__float_as_uint(a), __float_as_uint(b)));
    }
  };

  template <class Op>
  __device__ __forceinline__ float over_row(float (&v)[P]) {
    const uint32_t half = rounds_ & 1;
#pragma unroll
    for (int j = 0; j < P; j++)
#pragma unroll
      for (int d = 16; d > 0; d >>= 1) v[j] = Op::of(v[j], __shfl_xor_sync(~0u, v[j], d));
#if ARF_HAS_CLUSTERS
    if (place_.blocks > 1) {
      const uint32_t barrier = shared_address(&m_.barrier[half]);
      if (place_.lane < place_.blocks) {
        const uint32_t there = shared_of_block(barrier, place_.lane);
#pragma unroll
        for (int j = 0; j < P; j++)
          store_async(
              shared_of_block(shared_address(&m_.segment[half][place_.segment(j, P)]), place_.lane),
              v[j], there);
      }
      if (threadIdx.x == 0) barrier_expect(barrier, segments_ * 4);
      barrier_wait(barrier, (rounds_ >> 1) & 1);
      rounds_++;
      return total<Op>(half);
    }
#endif
    if (place_.lane == 0)
#pragma unroll
      for (int j = 0; j < P; j++) m_.segment[half][place_.segment(j, P)] = v[j];
    __syncthreads();
    rounds_++;
    return total<Op>(half);
  }

  template <class Op>
  __device__ __forceinline__ float total(uint32_t half) const {
    const auto* from = reinterpret_cast<const float4*>(m_.segment[half]);
    float4 a = from[0];
#pragma unroll 4
    for (uint32_t i = 1; i < (segments_ + 3) / 4; i++) {
      const float4 b = from[i];
      a.x = Op::of(a.x, b.x);
      a.y = Op::of(a.y, b.y);
      a.z = Op::of(a.z, b.z);
      a.w = Op::of(a.w, b.w);
    }
    return Op::of(Op::of(a.x, a.y), Op::of(a.z, a.w));
  }

  RowSumMemory& m_;
  const Place& place_;
  uint32_t segments_, rounds_ = 0;
};

}  // namespace arf
