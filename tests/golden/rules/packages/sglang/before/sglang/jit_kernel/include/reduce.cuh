__device__ float largest(float value) {
#if SGL_CUDA_ARCH >= 1000 && SGL_CUDA_ARCH < 1100
  float out;
  asm("redux.sync.max.f32 %0, %1, 0xffffffff;" : "=f"(out) : "f"(value));
  return out;
#else
  return value;
#endif
}
