// Kernels that the benchmark needs beside the ones it times.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace arf::verify {

// Holds a stream until *flag (mapped host memory) is at least `value`, or four seconds.
cudaError_t launch_gate(const uint32_t* flag, uint32_t value, cudaStream_t stream);

// Residual + RMSNorm of bf16 rows on their own: what follows an unfused allreduce. Writes
// residual_out and norm_out; hidden is a multiple of 8, at most 8192.
cudaError_t launch_norm(const void* x, const void* residual_in, const void* gamma,
                        void* residual_out, void* norm_out, int tokens, int hidden, float eps,
                        bool pdl, cudaStream_t stream);

// Every rank stores a word into every peer's memory and waits for theirs, `rounds` times. words[r]
// is rank r's memory of kExchangeBytes, zero at first; gives up after two seconds.
constexpr size_t kExchangeBytes = 16 * 128;
cudaError_t launch_exchange(const std::vector<uint32_t*>& words, int rank, int rounds,
                            cudaStream_t stream);

// A kernel that does nothing (the floor of a launch).
cudaError_t launch_empty(int blocks, int threads, bool pdl, cudaStream_t stream);

// Loads the kernels above, so that the first launch does not wait for the device.
cudaError_t preload_bench_kernels();

}  // namespace arf::verify
