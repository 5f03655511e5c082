#pragma once

// FLASHINFER_ENABLE_F16 is a macro that every module is built with.
#ifdef FLASHINFER_ENABLE_F16
__global__ void small_kernel(float* out) {
#if (defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 900) && (__CUDA_ARCH__ < 1200))
  out[threadIdx.x] = 1;
#endif
}
#endif
