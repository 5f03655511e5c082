// What no kernel of this kind can be faster than on this machine.
#pragma once

#include "verify/bench_tensors.h"
#include "verify/timing.h"

namespace arf::verify {

// Measured once: the norm of one token on its own, launch included; one exchange of a word with
// every peer, launch not included; the rate at which a rank's copy engine reaches its peers, all
// ranks at a time. Ranks must have a device each, and reach each other.
class Floor {
 public:
  // Empty if that is not so.
  static std::string why_not(const std::vector<int>& devices, int transport);
  Floor(const BenchTensors& tensors, GraphTimer& timer, const std::vector<cudaStream_t>& streams);

  // µs of a call: norm, exchange, and the link for the bytes of a one-shot allreduce, or of a
  // two-shot one and a second exchange, whichever is less.
  double of(int tokens, int hidden);
  double exchange() const { return exchange_; }
  double bytes_per_us() const { return rate_; }

 private:
  double measure_exchange();
  double measure_rate();
  double norm(int hidden);

  const BenchTensors& tensors_;
  GraphTimer& timer_;
  std::vector<cudaStream_t> streams_;
  std::vector<uint32_t*> words_;
  double exchange_ = 0, rate_ = 0;
};

}  // namespace arf::verify
