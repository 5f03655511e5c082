// The tensors of a benchmark: four sets on every rank, what is expected of them, and the check.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "verify/guarded_tensor.h"
#include "verify/reference.h"

namespace arf::verify {

constexpr int kSets = 4;

// One rank's device memory. Call k uses set k % kSets of each, at the offset of that set.
struct Tensors {
  char *in = nullptr, *residual = nullptr, *gamma = nullptr, *residual_out = nullptr,
       *norm_out = nullptr, *sum = nullptr, *codes = nullptr, *scales = nullptr;
  float* scale_factors = nullptr;  // for FP8, for FP4
};

class BenchTensors {
 public:
  // bf16, for calls of up to max_tokens rows of up to max_hidden. Ends the program if there is no
  // room.
  BenchTensors(const std::vector<int>& devices, int max_tokens, int max_hidden);

  size_t world() const { return devices_.size(); }
  void on(size_t rank) const { cuda_or_exit(cudaSetDevice(devices_[rank]), "cudaSetDevice"); }
  const Tensors& operator[](size_t rank) const { return tensors_[rank]; }
  size_t set_bytes() const { return set_bytes_; }
  // Byte offsets of call k's set, of tensors and of scales.
  size_t set(int k) const { return static_cast<size_t>(k % kSets) * set_bytes_; }
  size_t scale_set(int k) const { return static_cast<size_t>(k % kSets) * scale_capacity_; }

  // Makes inputs and expectations for rows of `hidden`; also copies them to `more_in`, one pointer
  // a rank, unless that is empty.
  void load(int hidden, const std::vector<void*>& more_in);
  // The calls from now on have this many rows.
  void use(int tokens);
  Problem problem(int k) const;
  // So that nothing of an earlier call is taken for a result.
  void poison();
  // "ok", or what is wrong with the outputs of all sets and ranks. `exact`: the sums are the
  // canonical ones, and all that is checked exactly has the same bits.
  std::string check(bool exact, int pattern);

 private:
  static Bytes copy_out(const char* from, size_t bytes);
  // Of one rank and set; `first` is rank 0's norm.
  std::string check_one(bool exact, int pattern, int s, size_t r, Bytes& first);

  std::vector<int> devices_;
  std::vector<Tensors> tensors_;
  int max_tokens_, tokens_, hidden_;
  size_t set_bytes_, scale_capacity_;
  std::vector<Inputs> inputs_;
  std::vector<Expected> expected_;
  std::vector<Bytes> verified_;  // norm_out of a set, once it was found right
};

}  // namespace arf::verify
