template <int kStages, bool kWide>
__global__ void sm100_gemm(float* out) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000  // over: names
  tcgen05_after_thread_sync();
  out[0] = kStages;
#endif
}

__global__ void commit(unsigned bar) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000  // over: an instruction
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%0];" ::"r"(bar));
#endif
}

__global__ void sm90_gemm(float* out) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900  // over
  WGMMA::wgmma(out);
#endif
}

template <bool kTensorMemory>
__global__ void chooses(float* out) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900  // fine: what it may leave out is not in the way
  if constexpr (kTensorMemory) {
    tcgen05_load(out);
  } else {
    out[0] = 1;
  }
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)  // closed
  tcgen05_store(out);
#endif
  // tcgen05 in a comment
  out[1] = 2;
#endif
}

__global__ void copies(float* out) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900  // fine
  asm volatile("griddepcontrol.wait;");
  out[0] = 1;
#endif
}

__global__ void copy_behind_error(unsigned a, unsigned long long b) {
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 1000) // over: what follows the #error is tcgen05 (FlashInfer 0.7.4)
#error "needs Blackwell"
#endif
  asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(a), "l"(b) : "memory");
}

__global__ void plain_behind_error(float* x) {
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 900) // fine
#error "needs Hopper"
#endif
  x[threadIdx.x] += 1.0f;
}
