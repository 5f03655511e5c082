// The shape of the real header: three kernels with guards that stop below sm_120, and a launcher.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

namespace flashinfer::trtllm_allreduce {

constexpr int MAX_RANKS_PER_NODE = 16;

namespace details {

static constexpr int kWarpSize = 32;
static constexpr int kMaxCtaSize = 1024;
static constexpr int kClusterMaxSize = 8;
static constexpr int kLamportHiddenSizeThreshold = 256;

}  // namespace details

template <typename T>
struct AllReduceParams {
  int elts_total, hidden_size;
  T* in;
  T* out;
  void* lamport_peer_comm_buffer_ptrs[MAX_RANKS_PER_NODE * 3];
};

template <typename T>
__global__ void norm_kernel(AllReduceParams<T> params) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#if (defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 900) && (__CUDA_ARCH__ < 1200))
  cudaGridDependencySynchronize();
#endif
  params.out[i] = params.in[i];
#if (defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 900) && (__CUDA_ARCH__ < 1200))
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

template <int ClusterSize, typename T, int RanksPerNode, bool Bias = false, bool Affine = false>
__global__ void lamport_style_one_shot_all_reduce_norm_kernel(AllReduceParams<T> params) {
#if (defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 900) && (__CUDA_ARCH__ < 1200))
  cudaGridDependencySynchronize();
  params.out[threadIdx.x] = params.in[threadIdx.x];
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

template <typename T, int RanksPerNode, bool Bias, bool Affine>
cudaError_t launch_one_shot(AllReduceParams<T> params, bool launch_with_pdl, cudaStream_t stream) {
  int warps_per_token = (params.hidden_size / 8 + details::kWarpSize - 1) / details::kWarpSize;
  int cluster_size = std::min(warps_per_token, details::kClusterMaxSize);
  int cta_size = warps_per_token / cluster_size * details::kWarpSize;
  cudaLaunchConfig_t config = {0};
  config.gridDim = params.elts_total / params.hidden_size * cluster_size;
  config.blockDim = cta_size;
  config.stream = stream;
  cudaLaunchAttribute attribute[2];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = cluster_size;
  attribute[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[1].val.programmaticStreamSerializationAllowed = launch_with_pdl;
  config.attrs = attribute;
  config.numAttrs = 2;
  if (cluster_size == 8) {
    return cudaLaunchKernelEx(&config, lamport_style_one_shot_all_reduce_norm_kernel<8, T, RanksPerNode, Bias, Affine>, params);
  }
  return cudaLaunchKernelEx(&config, lamport_style_one_shot_all_reduce_norm_kernel<1, T, RanksPerNode, Bias, Affine>, params);
}

template <typename T>
cudaError_t launch_norm(AllReduceParams<T> params, cudaStream_t stream) {
  cudaLaunchConfig_t config = {0};
  config.gridDim = params.elts_total / 256;
  config.blockDim = 256;
  config.stream = stream;
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  config.attrs = attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, norm_kernel<T>, params);
}

}  // namespace flashinfer::trtllm_allreduce
