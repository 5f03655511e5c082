// The launcher of the fused kernels: it picks a cluster, and nothing in it depends on the device.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

namespace flashinfer::trtllm_allreduce_fusion {

template <int Pattern, typename T, int NRanks, bool Fp32Acc, bool TriggerAtEnd = true>
__global__ void allreduce_fusion_kernel_oneshot_lamport(T* out, T const* in) {
  out[threadIdx.x] = in[threadIdx.x];
}

template <int Pattern, typename T, int NRanks, bool Fp32Acc>
__global__ void allreduce_fusion_kernel_twoshot_sync(T* out, T const* in) {
  out[threadIdx.x] = in[threadIdx.x];
}

struct Params {
  bool trigger_completion_at_end;
};

// How many blocks a cluster of this kernel can have on the current device: `wanted`, or fewer where
// the multiprocessors that a cluster may use have no room for as many at a time.
inline int placeable_cluster_size(void const* kernel, int block_size, int wanted) {
  cudaLaunchConfig_t config = {};
  config.gridDim = wanted;
  config.blockDim = block_size;
  int largest = 1;
  if (wanted > 1 &&
      cudaOccupancyMaxPotentialClusterSize(&largest, kernel, &config) != cudaSuccess) {
    (void)cudaGetLastError();
    return 1;
  }
  return std::min(wanted, std::max(largest, 1));
}

int get_sm_count() {
  int device = 0, count = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

template <int Pattern, typename T, int NRanks, bool Fp32Acc>
cudaError_t launch(Params const& params, T* out, T const* in, bool oneshot, cudaLaunchConfig_t& cfg) {
  int cluster_size = 8;
  int block_size = 128;

  void const* kernel =
      reinterpret_cast<void const*>(allreduce_fusion_kernel_twoshot_sync<Pattern, T, NRanks, Fp32Acc>);
  if (oneshot) {
    kernel = params.trigger_completion_at_end
                 ? reinterpret_cast<void const*>(
                       allreduce_fusion_kernel_oneshot_lamport<Pattern, T, NRanks, Fp32Acc, true>)
                 : reinterpret_cast<void const*>(
                       allreduce_fusion_kernel_oneshot_lamport<Pattern, T, NRanks, Fp32Acc, false>);
  }
  while (placeable_cluster_size(kernel, block_size, cluster_size) < cluster_size) {
    // A token keeps its threads: as many times fewer blocks as they are larger.
    int const merged = cluster_size % 2 == 0 ? 2 : cluster_size;
    cluster_size /= merged;
    block_size *= merged;
  }

  // Check conditions using the final block_size (not threads_per_block)
  cfg.gridDim = std::min(get_sm_count(), cluster_size);
  cfg.blockDim = block_size;
  if (oneshot) {
    return cudaLaunchKernelEx(&cfg, allreduce_fusion_kernel_oneshot_lamport<Pattern, T, NRanks, Fp32Acc>, out, in);
  }
  return cudaLaunchKernelEx(&cfg, allreduce_fusion_kernel_twoshot_sync<Pattern, T, NRanks, Fp32Acc>, out, in);
}

}  // namespace flashinfer::trtllm_allreduce_fusion
