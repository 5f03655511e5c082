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

  // Check conditions using the final block_size (not threads_per_block)
  cfg.gridDim = std::min(get_sm_count(), cluster_size);
  cfg.blockDim = block_size;
  if (oneshot) {
    return cudaLaunchKernelEx(&cfg, allreduce_fusion_kernel_oneshot_lamport<Pattern, T, NRanks, Fp32Acc>, out, in);
  }
  return cudaLaunchKernelEx(&cfg, allreduce_fusion_kernel_twoshot_sync<Pattern, T, NRanks, Fp32Acc>, out, in);
}

}  // namespace flashinfer::trtllm_allreduce_fusion
