#include "verify/guarded_tensor.h"

#include <cstdio>
#include <cstdlib>

namespace arf::verify {
namespace {

constexpr int kPoison = 0xee;

}  // namespace

void cuda_or_exit(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

void GuardedTensor::allocate(size_t capacity) {
  cuda_or_exit(cudaMalloc(reinterpret_cast<void**>(&base_), capacity + 2 * kGuard), "cudaMalloc");
}
void GuardedTensor::release() {
  (void)cudaFree(base_);
}

void GuardedTensor::poison(size_t bytes, cudaStream_t stream) {
  bytes_ = bytes;
  cuda_or_exit(cudaMemsetAsync(base_, kPoison, bytes + 2 * kGuard, stream), "cudaMemset");
}

bool GuardedTensor::intact() const {
  uint8_t guards[2 * kGuard];
  cuda_or_exit(cudaMemcpy(guards, base_, kGuard, cudaMemcpyDeviceToHost), "cudaMemcpy");
  cuda_or_exit(cudaMemcpy(guards + kGuard, base_ + kGuard + bytes_, kGuard, cudaMemcpyDeviceToHost),
               "cudaMemcpy");
  for (const uint8_t b : guards)
    if (b != kPoison) return false;
  return true;
}

Bytes GuardedTensor::read() const {
  Bytes out(bytes_);
  cuda_or_exit(cudaMemcpy(out.data(), data(), bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return out;
}

void GuardedTensor::write(const Bytes& from, cudaStream_t stream) {
  bytes_ = from.size();
  cuda_or_exit(cudaMemsetAsync(base_, kPoison, kGuard, stream), "cudaMemset");
  cuda_or_exit(cudaMemsetAsync(base_ + kGuard + bytes_, kPoison, kGuard, stream), "cudaMemset");
  cuda_or_exit(cudaMemcpyAsync(data(), from.data(), from.size(), cudaMemcpyHostToDevice, stream),
               "cudaMemcpy");
}

}  // namespace arf::verify
