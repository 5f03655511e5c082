#include "verify/bench_floor.h"

#include <algorithm>
#include <set>

#include "verify/bench_kernels.h"

namespace arf::verify {
namespace {

constexpr int kRounds = 2000, kCalls = 96;

}  // namespace

std::string Floor::why_not(const std::vector<int>& devices, int transport) {
  if (transport == ARF_TRANSPORT_HOST) return "there is none for host memory";
  if (std::set<int>(devices.begin(), devices.end()).size() != devices.size())
    return "ranks share a device";
  for (const int a : devices)
    for (const int b : devices) {
      int can = 1;
      if (a != b && (cudaDeviceCanAccessPeer(&can, a, b) != cudaSuccess || !can))
        return "devices do not reach each other";
    }
  return {};
}

Floor::Floor(const BenchTensors& tensors, GraphTimer& timer,
             const std::vector<cudaStream_t>& streams)
    : tensors_(tensors), timer_(timer), streams_(streams), words_(tensors.world()) {
  for (size_t r = 0; r < tensors_.world(); r++) {
    tensors_.on(r);
    cuda_or_exit(cudaMalloc(reinterpret_cast<void**>(&words_[r]), kExchangeBytes), "cudaMalloc");
    cuda_or_exit(cudaMemset(words_[r], 0, kExchangeBytes), "cudaMemset");
    cuda_or_exit(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  exchange_ = measure_exchange();
  rate_ = measure_rate();
}

double Floor::measure_exchange() {
  const auto time = [&](int rounds) {
    const bool good = timer_.capture(1, [&](int) {
      for (size_t r = 0; r < words_.size(); r++) {
        tensors_.on(r);
        if (launch_exchange(words_, static_cast<int>(r), rounds, streams_[r]) != cudaSuccess)
          return false;
      }
      return true;
    });
    return good ? timer_.measure(2, 5).least : 0.0;
  };
  return (time(kRounds + 1) - time(1)) / kRounds;
}

double Floor::measure_rate() {
  // Large enough for the start of a copy not to count.
  constexpr size_t bytes = size_t{64} << 20;
  std::vector<char*> from(tensors_.world()), to(tensors_.world());
  for (size_t r = 0; r < tensors_.world(); r++) {
    tensors_.on(r);
    cuda_or_exit(cudaMalloc(reinterpret_cast<void**>(&from[r]), bytes), "cudaMalloc");
    cuda_or_exit(cudaMalloc(reinterpret_cast<void**>(&to[r]), bytes), "cudaMalloc");
  }
  const bool good = timer_.capture(1, [&](int) {
    for (size_t r = 0; r < tensors_.world(); r++) {
      tensors_.on(r);
      for (size_t i = 1; i < tensors_.world(); i++) {
        const size_t peer = (r + i) % tensors_.world();
        if (cudaMemcpyAsync(to[peer], from[r], bytes, cudaMemcpyDefault, streams_[r]) !=
            cudaSuccess)
          return false;
      }
    }
    return true;
  });
  const double us = good ? timer_.measure(2, 5).least : 0;
  for (size_t r = 0; r < tensors_.world(); r++) {
    tensors_.on(r);
    (void)cudaFree(from[r]);
    (void)cudaFree(to[r]);
  }
  return good ? static_cast<double>(bytes * (tensors_.world() - 1)) / us : 0;
}

double Floor::norm(int hidden) {
  const bool good = timer_.capture(kCalls, [&](int k) {
    for (size_t r = 0; r < tensors_.world(); r++) {
      tensors_.on(r);
      const Tensors& t = tensors_[r];
      if (launch_norm(t.in + tensors_.set(k), t.residual + tensors_.set(k), t.gamma,
                      t.residual_out + tensors_.set(k), t.norm_out + tensors_.set(k), 1, hidden,
                      1e-6f, true, streams_[r]) != cudaSuccess)
        return false;
    }
    return true;
  });
  return good ? timer_.measure(3, 15).p50 : 0;
}

double Floor::of(int tokens, int hidden) {
  if (rate_ <= 0) return 0;
  const double n = static_cast<double>(tensors_.world());
  const double bytes = 2.0 * tokens * hidden;
  const double oneshot = (n - 1) * bytes / rate_;
  const double twoshot = 2 * (n - 1) / n * bytes / rate_ + exchange_;
  return norm(hidden) + exchange_ + std::min(oneshot, twoshot);
}

}  // namespace arf::verify
