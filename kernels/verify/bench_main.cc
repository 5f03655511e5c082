// arf_bench: times the fused kernels against NCCL followed by a residual + RMSNorm kernel.
//
//   arf_bench --devices 0,1 [--hidden 7168,4096] [--tokens 1,8,…] [--sweep|--tune] [--shapes
//   NAME,…]
//             [--transport host] [--patterns 1,2,3,8,10] [--nccl LIBRARY] [--csv FILE]
//
// bf16, CUDA graphs of 96 calls over four sets of tensors. Every row is checked after it was timed:
// outputs are poisoned, the same graph is replayed, and all elements of all sets and ranks are
// compared with the host reference. --sweep tries launch shapes (--shapes some); its rows are what
// device/choose.py reads, and what --tune leaves for the library of this machine
// (arf_comm_choices()).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pattern.h"
#include "verify/bench_choices.h"
#include "verify/bench_floor.h"
#include "verify/bench_kernels.h"
#include "verify/bench_options.h"
#include "verify/bench_shapes.h"
#include "verify/bench_tensors.h"
#include "verify/nccl_api.h"
#include "verify/rig.h"
#include "verify/timing.h"

namespace arf::verify {
namespace {

constexpr int kCalls = 96;

int most(const std::vector<int>& v) {
  return *std::max_element(v.begin(), v.end());
}

class Bench {
 public:
  explicit Bench(const BenchOptions& o)
      : o_(o),
        tensors_(o.devices, most(o.tokens), most(o.hidden)),
        comms_(world()),
        streams_(world()) {
    arf_config config;
    arf_config_init(&config);
    config.max_tokens = most(o.tokens);
    config.max_hidden = most(o.hidden);
    config.oneshot_bytes = uint64_t{16} << 20;
    config.transport = o.transport;
    const auto ranks = static_cast<int>(world());
    if (int e = arf_comm_create_local(ranks, o.devices.data(), &config, comms_.data())) {
      std::fprintf(stderr, "arf_comm_create_local: %s (%s)\n", arf_strerror(e),
                   arf_last_cuda_error());
      std::exit(2);
    }
    for (size_t r = 0; r < world(); r++) {
      tensors_.on(r);
      cuda_or_exit(cudaStreamCreateWithFlags(&streams_[r], cudaStreamNonBlocking), "stream");
    }
    timer_ = std::make_unique<GraphTimer>(o.devices, streams_);
    if (!o.csv.empty()) csv_ = std::fopen(o.csv.c_str(), "a");
    open_nccl();
    if (Floor::why_not(o.devices, o.transport).empty())
      floor_ = std::make_unique<Floor>(tensors_, *timer_, streams_);
  }

  int run() {
    for (const int hidden : o_.hidden) {
      hidden_ = hidden;
      tensors_.load(hidden, symmetric_in_);
      for (const int tokens : o_.tokens) {
        tokens_ = tokens;
        tensors_.use(tokens);
        if (floor_) print("floor", {floor_->of(tokens, hidden), 0, 0}, "ok");
        for (const int pattern : o_.patterns)
          own("arf_pattern" + std::to_string(pattern), {}, true, pattern);
        if (o_.sweep) sweep();
        for (const Manner& m : parse_shapes(o_.shapes)) own(name_of(m), m);
        if (nccl_) {
          Manner by_nccl;
          by_nccl.algorithm = ARF_NCCL;
          own("arf_nccl", by_nccl);
          baselines();
        }
      }
    }
    if (csv_ != nullptr) std::fclose(csv_);
    if (o_.tune)
      std::printf("choices: %s\n", leave_choices(o_.devices, comm_transport(),
                                                 maker_.choices(static_cast<int>(world())))
                                       .c_str());
    return wrong_ == 0 ? 0 : 4;
  }

 private:
  size_t world() const { return o_.devices.size(); }

  void open_nccl() {
    if (o_.nccl.empty()) return;
    nccl_ = std::make_unique<Nccl>();
    std::string why;
    if (!nccl_->open(o_.nccl, o_.devices, why)) {
      std::printf("NCCL not available: %s\n", why.c_str());
      nccl_.reset();
      return;
    }
    std::printf("NCCL %d\n", nccl_->version());
    for (size_t r = 0; r < world(); r++)
      if (const int e = arf_comm_use_nccl(comms_[r], o_.nccl.c_str(), nccl_->comm(r)))
        std::printf("NCCL as a fallback: %s\n", arf_strerror(e));
    symmetric_in_ = nccl_->symmetric(kSets * tensors_.set_bytes());
    symmetric_out_ = nccl_->symmetric(kSets * tensors_.set_bytes());
  }

  // Times, checks and prints a row; its median, or infinity if it cannot run or is wrong.
  double row(const std::string& name, bool exact, const std::function<bool(int)>& enqueue,
             int pattern = ARF_RESIDUAL_RMSNORM) {
    if (!timer_->capture(kCalls, enqueue)) {
      std::printf("%zu,%d,%d,%s,cannot run\n", world(), hidden_, tokens_, name.c_str());
      return HUGE_VAL;
    }
    const Sample t = timer_->measure(3, o_.replays);
    tensors_.poison();
    (void)timer_->replay();
    const std::string verdict = tensors_.check(exact, pattern);
    if (verdict != "ok") wrong_++;
    print(name, t, verdict);
    return verdict == "ok" ? t.p50 : HUGE_VAL;
  }

  void print(const std::string& name, const Sample& t, const std::string& verdict) {
    for (FILE* f : {csv_, verdict != "ok" || csv_ == nullptr ? stdout : nullptr})
      if (f != nullptr) {
        std::fprintf(f, "%zu,%d,%d,%s,%.3f,%.3f,%.3f,%s\n", world(), hidden_, tokens_, name.c_str(),
                     t.p50, t.least, t.p99, verdict.c_str());
        std::fflush(f);
      }
  }

  int comm_transport() const {
    return o_.transport == ARF_TRANSPORT_HOST ? ARF_TRANSPORT_HOST : ARF_TRANSPORT_PEER;
  }

  // NCCL adds in an order of its own, and a table of choices may ask for it.
  bool exact(const Manner& m) const {
    char table[8] = "";
    (void)arf_comm_choices(comms_[0], table, sizeof table);
    return m.algorithm != ARF_NCCL && (m.algorithm != ARF_AUTO || !nccl_ || table[0] == 0);
  }

  double own(const std::string& name, const Manner& m, bool pdl = true,
             int pattern = ARF_RESIDUAL_RMSNORM) {
    return row(
        name, exact(m),
        [&](int k) {
          std::vector<arf_params> calls(world());
          for (size_t r = 0; r < world(); r++) {
            const Tensors& t = tensors_[r];
            arf_params a;
            arf_params_init(&a);
            a.pattern = pattern;
            a.tokens = tokens_;
            a.hidden = hidden_;
            a.algorithm = m.algorithm;
            a.cluster = m.cluster;
            a.packs = m.packs;
            a.max_units = m.max_units;
            a.pause_ns = m.pause_ns;
            a.group_size = tensors_.problem(k).group_size;
            a.layout = tensors_.problem(k).layout;
            a.quant_out = t.codes + tensors_.set(k);
            a.scale_out = t.scales + tensors_.scale_set(k);
            a.scale_factor = t.scale_factors + (quantiser_of(pattern) == kFp4 ? 1 : 0);
            a.flags = pdl ? ARF_PDL : 0;
            a.in = t.in + tensors_.set(k);
            a.residual_in = t.residual + tensors_.set(k);
            a.gamma = t.gamma;
            a.residual_out = t.residual_out + tensors_.set(k);
            a.norm_out = t.norm_out + tensors_.set(k);
            calls[r] = a;
          }
          return arf_launch_all(static_cast<int>(world()), comms_.data(), calls.data(),
                                streams_.data()) == ARF_OK;
        },
        pattern);
  }

  // Every split of a row, then variations of the best.
  void sweep() {
    Manner best;
    double least = HUGE_VAL;
    const auto attempt = [&](const Manner& m) {
      const double t = own(name_of(m), m);
      maker_.add(hidden_, tokens_, m, t);
      if (t < least) least = t, best = m;
    };
    for (const int algorithm : algorithms(static_cast<int>(world()))) {
      // What cannot win: two trips, or reading, between two ranks of one link.
      if (algorithm != ARF_ONESHOT && world() == 2 && o_.transport != ARF_TRANSPORT_HOST) continue;
      for (const Manner& m : splits(algorithm, tokens_, hidden_)) attempt(m);
    }
    if (least == HUGE_VAL) return;
    for (const Manner& m : variations(best, tokens_)) attempt(m);
  }

  void baselines() {
    const auto count = static_cast<size_t>(tokens_) * static_cast<size_t>(hidden_);
    for (const bool symmetric : {false, true}) {
      if (symmetric && (symmetric_in_.empty() || symmetric_out_.empty())) continue;
      time_nccl(std::string(symmetric ? "nccl_symmetric" : "nccl") + "+norm_pdl", [&](int k) {
        std::vector<void*> in, out;
        for (size_t r = 0; r < world(); r++) {
          in.push_back((symmetric ? static_cast<char*>(symmetric_in_[r]) : tensors_[r].in) +
                       tensors_.set(k));
          out.push_back((symmetric ? static_cast<char*>(symmetric_out_[r]) : tensors_[r].sum) +
                        tensors_.set(k));
        }
        if (!nccl_->all_reduce(in, out, count, streams_)) return false;
        for (size_t r = 0; r < world(); r++) {
          tensors_.on(r);
          const Tensors& t = tensors_[r];
          if (launch_norm(out[r], t.residual + tensors_.set(k), t.gamma,
                          t.residual_out + tensors_.set(k), t.norm_out + tensors_.set(k), tokens_,
                          hidden_, 1e-6f, true, streams_[r]) != cudaSuccess)
            return false;
        }
        return true;
      });
    }
  }

  // The library itself can take NCCL only for memory that it does not have to register.
  void time_nccl(const std::string& name, const std::function<bool(int)>& enqueue) {
    const double t = row(name, false, enqueue);
    Manner m;
    m.algorithm = ARF_NCCL;
    if (name == "nccl+norm_pdl") maker_.add(hidden_, tokens_, m, t);
  }

  const BenchOptions o_;
  BenchTensors tensors_;
  int tokens_ = 0, hidden_ = 0;
  std::vector<arf_comm*> comms_;
  std::vector<cudaStream_t> streams_;
  std::unique_ptr<GraphTimer> timer_;
  std::unique_ptr<Floor> floor_;
  ChoiceMaker maker_;
  std::unique_ptr<Nccl> nccl_;
  std::vector<void*> symmetric_in_, symmetric_out_;
  FILE* csv_ = nullptr;
  int wrong_ = 0;
};

}  // namespace

int run(int argc, char** argv) {
  BenchOptions o;
  if (!parse_options(argc, argv, o)) {
    std::fprintf(
        stderr,
        "usage: arf_bench --devices 0,1 [--hidden …] [--tokens …] [--sweep|--tune] [--shapes …] "
        "[--transport host] [--patterns 1,2,3,8,10] [--nccl LIBRARY] [--csv FILE] "
        "[--replays N]\n");
    return 2;
  }
  // NCCL's NVLink multicast stays off: the machines these kernels are for have none.
  setenv("NCCL_NVLS_ENABLE", "0", 1);
  return Bench(o).run();
}

}  // namespace arf::verify

int main(int argc, char** argv) {
  return arf::verify::run(argc, argv);
}
