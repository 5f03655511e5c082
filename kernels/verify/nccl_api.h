// The few functions of NCCL that the benchmark compares with, loaded at run time.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace arf::verify {

class Nccl {
 public:
  // Opens the library and a communicator over the devices. False, with `why`, if that does not
  // work.
  bool open(const std::string& library, const std::vector<int>& devices, std::string& why);
  ~Nccl();

  int version() const { return version_; }
  void* comm(size_t rank) const { return comms_[rank]; }
  bool has_windows() const { return register_ != nullptr && mem_alloc_ != nullptr; }
  // Memory that NCCL's symmetric kernels can use, registered on every rank; null if it cannot be
  // had.
  std::vector<void*> symmetric(size_t bytes);
  // Sums `count` bf16 elements on every rank's stream. False if NCCL reports an error.
  bool all_reduce(const std::vector<void*>& in, const std::vector<void*>& out, size_t count,
                  const std::vector<cudaStream_t>& streams);

 private:
  using Comm = void*;
  std::vector<int> devices_;
  std::vector<Comm> comms_;
  int version_ = 0;
  int (*init_all_)(Comm*, int, const int*) = nullptr;
  int (*destroy_)(Comm) = nullptr;
  int (*group_start_)() = nullptr;
  int (*group_end_)() = nullptr;
  int (*all_reduce_)(const void*, void*, size_t, int, int, Comm, cudaStream_t) = nullptr;
  int (*get_version_)(int*) = nullptr;
  int (*mem_alloc_)(void**, size_t) = nullptr;
  int (*register_)(Comm, void*, size_t, void**, int) = nullptr;
};

}  // namespace arf::verify
