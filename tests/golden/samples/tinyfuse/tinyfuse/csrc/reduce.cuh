#pragma once

template <typename T>
__global__ void reduce_kernel(T* out, T const* in, int count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaGridDependencySynchronize();
  if (i < count) out[i] += in[i];
#endif
}
