// Times a sequence of launches on several devices at once.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace arf::verify {

struct Sample {
  double p50 = 0, p99 = 0, least = 0;  // µs a call, of the slowest rank
};

// One CUDA graph a rank, of `calls` calls in a row. Before every replay a gate holds all ranks
// until the host has launched on each, so that the host's launch skew is not in the figures; events
// lie between gate and graph. A replay's time is that of the slowest rank.
class GraphTimer {
 public:
  GraphTimer(std::vector<int> devices, std::vector<cudaStream_t> streams);
  ~GraphTimer();
  GraphTimer(const GraphTimer&) = delete;
  GraphTimer& operator=(const GraphTimer&) = delete;

  // Captures `calls` calls; enqueue(k) launches the k-th one on every rank's stream and returns
  // whether that worked. False if anything failed.
  bool capture(int calls, const std::function<bool(int)>& enqueue);
  // One replay; µs a call.
  double replay();
  Sample measure(int warm_up, int replays);

 private:
  void drop();
  std::vector<int> devices_;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaGraphExec_t> graphs_;
  std::vector<cudaEvent_t> before_, after_;
  uint32_t* flag_ = nullptr;
  uint32_t turn_ = 0;
  int calls_ = 1;
};

}  // namespace arf::verify
