// Device memory of the test programs.
#pragma once

#include <cuda_runtime_api.h>

#include "verify/data.h"

namespace arf::verify {

// Ends the program with a message: nothing that was measured would be worth anything.
void cuda_or_exit(cudaError_t error, const char* what);

// A device tensor between two guard bands.
class GuardedTensor {
 public:
  static constexpr size_t kGuard = 256;
  void allocate(size_t capacity);
  void release();
  void* data() const { return base_ + kGuard; }
  // Fills tensor and guards with 0xEE, sized for `bytes` of the coming call.
  void poison(size_t bytes, cudaStream_t stream);
  // Whether the guards are as they were.
  bool intact() const;
  Bytes read() const;
  void write(const Bytes& from, cudaStream_t stream);

 private:
  char* base_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace arf::verify
