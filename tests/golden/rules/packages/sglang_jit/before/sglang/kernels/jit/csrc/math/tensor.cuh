#pragma once
#include <cstdint>

namespace math {

__device__ void allocate(uint32_t at) { asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(at)); }

template <int kWidth>
__global__ void tensor_kernel(float* out) {
  allocate(0);
}

template <int kWidth>
__global__ void portable_kernel(float* out) {
  out[threadIdx.x] = kWidth;
}

template <int kWidth, bool kTensor>
__global__ void chosen_kernel(float* out) {
  if constexpr (kTensor) {
    allocate(0);
  } else {
    out[threadIdx.x] = kWidth;
  }
}

template <int kWidth>
struct TensorKernel {
  static void run(float* out) { tensor_kernel<kWidth><<<1, 32>>>(out); }
  static void mix(float* out) { portable_kernel<kWidth><<<1, 32>>>(out); }
};

template <int kWidth>
struct HeldKernel {
  static constexpr auto kernel = tensor_kernel<kWidth>;
  static void run(float* out) { kernel<<<1, 32>>>(out); }
};

template <int kWidth>
struct PortableKernel {
  static void run(float* out) { portable_kernel<kWidth><<<1, 32>>>(out); }
};

template <int kWidth>
void choose(float* out) { chosen_kernel<kWidth, false><<<1, 32>>>(out); }

}  // namespace math
