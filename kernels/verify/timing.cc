#include "verify/timing.h"

#include <algorithm>
#include <atomic>

#include "verify/bench_kernels.h"
#include "verify/rig.h"

namespace arf::verify {

GraphTimer::GraphTimer(std::vector<int> devices, std::vector<cudaStream_t> streams)
    : devices_(std::move(devices)),
      streams_(std::move(streams)),
      graphs_(devices_.size()),
      before_(devices_.size()),
      after_(devices_.size()) {
  cuda_or_exit(cudaHostAlloc(reinterpret_cast<void**>(&flag_), sizeof *flag_,
                             cudaHostAllocMapped | cudaHostAllocPortable),
               "cudaHostAlloc");
  *flag_ = 0;
  for (size_t r = 0; r < devices_.size(); r++) {
    cuda_or_exit(cudaSetDevice(devices_[r]), "cudaSetDevice");
    cuda_or_exit(cudaEventCreate(&before_[r]), "cudaEventCreate");
    cuda_or_exit(cudaEventCreate(&after_[r]), "cudaEventCreate");
    cuda_or_exit(preload_bench_kernels(), "preload");
  }
}

GraphTimer::~GraphTimer() {
  drop();
  for (size_t r = 0; r < devices_.size(); r++) {
    (void)cudaEventDestroy(before_[r]);
    (void)cudaEventDestroy(after_[r]);
  }
  (void)cudaFreeHost(flag_);
}

void GraphTimer::drop() {
  for (auto& g : graphs_) {
    if (g != nullptr) (void)cudaGraphExecDestroy(g);
    g = nullptr;
  }
}

bool GraphTimer::capture(int calls, const std::function<bool(int)>& enqueue) {
  drop();
  calls_ = calls;
  for (size_t r = 0; r < devices_.size(); r++) {
    cuda_or_exit(cudaSetDevice(devices_[r]), "cudaSetDevice");
    cuda_or_exit(cudaStreamBeginCapture(streams_[r], cudaStreamCaptureModeRelaxed), "capture");
  }
  bool good = true;
  for (int k = 0; k < calls && good; k++) good = enqueue(k);
  for (size_t r = 0; r < devices_.size(); r++) {
    cuda_or_exit(cudaSetDevice(devices_[r]), "cudaSetDevice");
    cudaGraph_t graph = nullptr;
    good = cudaStreamEndCapture(streams_[r], &graph) == cudaSuccess && good;
    if (good) good = cudaGraphInstantiate(&graphs_[r], graph, 0) == cudaSuccess;
    if (good) good = cudaGraphUpload(graphs_[r], streams_[r]) == cudaSuccess;
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
  }
  (void)cudaGetLastError();
  return good;
}

double GraphTimer::replay() {
  turn_++;
  for (size_t r = 0; r < devices_.size(); r++) {
    cuda_or_exit(cudaSetDevice(devices_[r]), "cudaSetDevice");
    cuda_or_exit(launch_gate(flag_, turn_, streams_[r]), "gate");
    cuda_or_exit(cudaEventRecord(before_[r], streams_[r]), "event");
    cuda_or_exit(cudaGraphLaunch(graphs_[r], streams_[r]), "cudaGraphLaunch");
    cuda_or_exit(cudaEventRecord(after_[r], streams_[r]), "event");
  }
  std::atomic_ref(*flag_).store(turn_);
  float slowest = 0;
  for (size_t r = 0; r < devices_.size(); r++) {
    cuda_or_exit(cudaSetDevice(devices_[r]), "cudaSetDevice");
    cuda_or_exit(cudaStreamSynchronize(streams_[r]), "cudaStreamSynchronize");
    float ms = 0;
    cuda_or_exit(cudaEventElapsedTime(&ms, before_[r], after_[r]), "cudaEventElapsedTime");
    slowest = std::max(slowest, ms);
  }
  return static_cast<double>(slowest) * 1e3 / calls_;
}

Sample GraphTimer::measure(int warm_up, int replays) {
  for (int i = 0; i < warm_up; i++) (void)replay();
  std::vector<double> t;
  for (int i = 0; i < replays; i++) t.push_back(replay());
  std::sort(t.begin(), t.end());
  return {t[t.size() / 2], t[std::min(t.size() - 1, t.size() * 99 / 100)], t[0]};
}

}  // namespace arf::verify
