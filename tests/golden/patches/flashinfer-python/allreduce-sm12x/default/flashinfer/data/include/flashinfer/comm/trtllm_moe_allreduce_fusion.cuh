// The two launchers behind a mixture of experts.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

namespace flashinfer::trtllm_moe_allreduce_fusion {

template <typename T, int NRanks, bool AllReduceOut, bool ResidualOut, bool NormOut, bool QuantOut>
__global__ void moereduce_allreduce_fusion_kernel_oneshot_lamport(T* out) {
  out[threadIdx.x] = T(1);
}

template <typename T, int NRanks, bool ResidualOut, bool NormOut, bool QuantOut, typename ScaleType>
__global__ void moefinalize_allreduce_fusion_kernel_oneshot_lamport(T* out) {
  out[threadIdx.x] = T(2);
}

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

template <typename T, int NRanks, bool AllReduceOut, bool ResidualOut, bool NormOut, bool QuantOut>
cudaError_t launch_reduction(T* out, int threads_per_token, cudaLaunchConfig_t& cfg) {
  // Total number of warp (within one cluster) that's need to handle one token
  // given that each thread handle kElemsPerAccess
  int warps_per_token = (threads_per_token + 31) / 32;
  int cluster_size = 8;
  while (warps_per_token % cluster_size != 0) {
    cluster_size /= 2;
  }
  int block_size = warps_per_token / cluster_size * 32;
  auto const kernel =
      moereduce_allreduce_fusion_kernel_oneshot_lamport<T, NRanks, AllReduceOut, ResidualOut,
                                                        NormOut, QuantOut>;
  while (placeable_cluster_size(reinterpret_cast<void const*>(kernel), block_size, cluster_size) <
         cluster_size) {
    cluster_size /= 2;
    block_size *= 2;
  }
  cfg.gridDim = std::min(get_sm_count(), cluster_size);
  cfg.blockDim = block_size;
  return cudaLaunchKernelEx(&cfg, moereduce_allreduce_fusion_kernel_oneshot_lamport<T, NRanks, AllReduceOut, ResidualOut, NormOut, QuantOut>, out);
}

template <typename T, int NRanks, bool ResidualOut, bool NormOut, bool QuantOut, typename ScaleType>
cudaError_t launch_finalize(T* out, int threads_per_token, cudaLaunchConfig_t& cfg) {
  // Total number of warp (within one cluster) that's need to handle one token
  // given that each thread handle VEC_SIZE
  int warps_per_token = (threads_per_token + 31) / 32;
  int cluster_size = 8;
  while (warps_per_token % cluster_size != 0) {
    cluster_size /= 2;
  }
  int block_size = warps_per_token / cluster_size * 32;
  auto const kernel =
      moefinalize_allreduce_fusion_kernel_oneshot_lamport<T, NRanks, ResidualOut, NormOut,
                                                          QuantOut, ScaleType>;
  while (placeable_cluster_size(reinterpret_cast<void const*>(kernel), block_size, cluster_size) <
         cluster_size) {
    cluster_size /= 2;
    block_size *= 2;
  }
  cfg.gridDim = std::min(get_sm_count(), cluster_size);
  cfg.blockDim = block_size;
  return cudaLaunchKernelEx(&cfg, moefinalize_allreduce_fusion_kernel_oneshot_lamport<T, NRanks, ResidualOut, NormOut, QuantOut, ScaleType>, out);
}

}  // namespace flashinfer::trtllm_moe_allreduce_fusion
