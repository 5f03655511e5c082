// arf_bench: times the fused kernels against NCCL followed by a residual + RMSNorm kernel.
//
//   arf_bench --devices 0,1 [--hidden 7168,4096] [--tokens 1,8,…] [--sweep] [--transport host]
//             [--patterns 1,2,3,8,10] [--nccl LIBRARY] [--csv FILE]
//
// bf16, CUDA graphs of 96 calls over four sets of tensors. Every row is checked after it was timed:
// outputs are poisoned, the same graph is replayed, and all elements of all sets and ranks are
// compared with the host reference. --sweep tries launch shapes; its rows are what device/choose.py
// reads.
#include <unistd.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "pattern.h"
#include "verify/bench_kernels.h"
#include "verify/nccl_api.h"
#include "verify/numbers.h"
#include "verify/quantise.h"
#include "verify/rig.h"
#include "verify/timing.h"

namespace arf::verify {
namespace {

constexpr int kSets = 4, kCalls = 96;

struct Options {
  std::vector<int> devices, hidden{7168, 4096}, tokens{1, 8, 32, 64, 128, 256, 512};
  std::vector<int> patterns{ARF_RESIDUAL_RMSNORM};
  bool sweep = false;
  int transport = ARF_TRANSPORT_AUTO;
  std::string nccl, csv;
  int replays = 21;
};

std::vector<int> numbers(const std::string& s) {
  std::vector<int> out;
  std::stringstream in(s);
  for (std::string part; std::getline(in, part, ',');) out.push_back(std::atoi(part.c_str()));
  return out;
}

// The tensors of one rank: kSets of each.
struct Tensors {
  char *in = nullptr, *residual = nullptr, *gamma = nullptr, *residual_out = nullptr,
       *norm_out = nullptr, *sum = nullptr, *codes = nullptr, *scales = nullptr;
  float* scale_factors = nullptr;  // for FP8, for FP4
};

class Bench {
 public:
  Bench(const Options& o) : o_(o) {
    for (const int t : o.tokens) max_tokens_ = std::max(max_tokens_, t);
    for (const int h : o.hidden) max_hidden_ = std::max(max_hidden_, h);
    set_bytes_ = static_cast<size_t>(max_tokens_) * static_cast<size_t>(max_hidden_) * 2;
    arf_config config;
    arf_config_init(&config);
    config.max_tokens = max_tokens_;
    config.max_hidden = max_hidden_;
    config.oneshot_bytes = uint64_t{16} << 20;
    config.transport = o.transport;
    comms_.resize(world());
    if (int e = arf_comm_create_local(static_cast<int>(world()), o.devices.data(), &config,
                                      comms_.data())) {
      std::fprintf(stderr, "arf_comm_create_local: %s (%s)\n", arf_strerror(e),
                   arf_last_cuda_error());
      std::exit(2);
    }
    tensors_.resize(world());
    streams_.resize(world());
    for (size_t r = 0; r < world(); r++) {
      on(r);
      cuda_or_exit(cudaStreamCreateWithFlags(&streams_[r], cudaStreamNonBlocking), "stream");
      Tensors& t = tensors_[r];
      for (char** p : {&t.in, &t.residual, &t.residual_out, &t.norm_out, &t.sum, &t.codes})
        cuda_or_exit(cudaMalloc(reinterpret_cast<void**>(p), kSets * set_bytes_), "cudaMalloc");
      cuda_or_exit(
          cudaMalloc(reinterpret_cast<void**>(&t.gamma), static_cast<size_t>(max_hidden_) * 2),
          "cudaMalloc");
      cuda_or_exit(cudaMalloc(reinterpret_cast<void**>(&t.scales), kSets * scale_capacity()),
                   "cudaMalloc");
      cuda_or_exit(cudaMalloc(reinterpret_cast<void**>(&t.scale_factors), 8), "cudaMalloc");
    }
    timer_ = std::make_unique<GraphTimer>(o.devices, streams_);
    if (!o.csv.empty()) csv_ = std::fopen(o.csv.c_str(), "a");
    open_nccl();
  }

  int run() {
    for (const int hidden : o_.hidden) {
      hidden_ = hidden;
      load();
      for (const int tokens : o_.tokens) {
        tokens_ = tokens;
        verified_.assign(kSets, {});
        for (const int pattern : o_.patterns)
          own("arf_pattern" + std::to_string(pattern), {}, true, pattern);
        if (o_.sweep) sweep();
        if (nccl_) baselines();
      }
    }
    if (csv_ != nullptr) std::fclose(csv_);
    return wrong_ == 0 ? 0 : 4;
  }

 private:
  size_t world() const { return o_.devices.size(); }
  void on(size_t r) { cuda_or_exit(cudaSetDevice(o_.devices[r]), "cudaSetDevice"); }
  size_t set(int k) const { return static_cast<size_t>(k % kSets) * set_bytes_; }
  size_t scale_capacity() const {
    return static_cast<size_t>(max_tokens_ + 128) * static_cast<size_t>(max_hidden_ / 4 + 64);
  }
  size_t scale_set(int k) const { return static_cast<size_t>(k % kSets) * scale_capacity(); }

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
    symmetric_in_ = nccl_->symmetric(kSets * set_bytes_);
    symmetric_out_ = nccl_->symmetric(kSets * set_bytes_);
  }

  void load() {
    inputs_.clear();
    expected_.clear();
    for (int s = 0; s < kSets; s++) {
      Problem p = problem(s);
      p.tokens = max_tokens_;
      inputs_.push_back(make_inputs(p));
      expected_.push_back(expect(p, inputs_.back()));
    }
    for (size_t r = 0; r < world(); r++) {
      on(r);
      for (int s = 0; s < kSets; s++) {
        const Inputs& in = inputs_[static_cast<size_t>(s)];
        copy_in(tensors_[r].in + set(s), in.in[r]);
        copy_in(tensors_[r].residual + set(s), in.residual);
        if (!symmetric_in_.empty())
          copy_in(static_cast<char*>(symmetric_in_[r]) + set(s), in.in[r]);
      }
      copy_in(tensors_[r].gamma, inputs_[0].gamma);
      const float factors[] = {factor(ARF_RESIDUAL_RMSNORM_FP8), factor(ARF_RESIDUAL_RMSNORM_FP4)};
      cuda_or_exit(
          cudaMemcpy(tensors_[r].scale_factors, factors, sizeof factors, cudaMemcpyHostToDevice),
          "cudaMemcpy");
    }
  }
  static void copy_in(char* to, const Bytes& from) {
    cuda_or_exit(cudaMemcpy(to, from.data(), from.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  Problem problem(int s) const {
    Problem p;
    p.pattern = ARF_RESIDUAL_RMSNORM;
    p.world = static_cast<int>(world());
    p.tokens = tokens_;
    p.hidden = hidden_;
    p.call = static_cast<uint32_t>(s);
    return p;
  }

  static float factor(int pattern) {
    Problem p;
    p.pattern = pattern;
    return scale_factor_of(p);
  }

  Bytes copy_out(const char* from, size_t bytes) {
    Bytes out(bytes);
    if (bytes != 0)
      cuda_or_exit(cudaMemcpy(out.data(), from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return out;
  }

  // gamma and scale_factor are those of set 0 for all. The fused kernels give the same bits every
  // time, so a norm is compared with the reference once a size.
  std::string check(bool exact, int pattern) {
    const auto bytes = static_cast<size_t>(tokens_) * static_cast<size_t>(hidden_) * 2;
    for (int s = 0; s < kSets; s++) {
      Problem p = problem(s);
      p.pattern = pattern;
      const Bytes& all = expected_[static_cast<size_t>(s)].residual_out;
      const Bytes want(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(bytes));
      Bytes& verified = verified_[static_cast<size_t>(s)];
      Bytes first;
      for (size_t r = 0; r < world(); r++) {
        on(r);
        const Tensors& t = tensors_[r];
        const Bytes residual = copy_out(t.residual_out + set(s), bytes);
        if (exact && compare_exact(ARF_BF16, residual, want).wrong) return "WRONG residual_out";
        if (!gives_norm(pattern)) {
          if (verified.empty()) return "WRONG unverified: time pattern 1 first";
          const Quantised q = quantise(p, verified, factor(pattern));
          if (copy_out(t.scales + scale_set(s), q.scales.size()) != q.scales)
            return "WRONG scale_out";
          if (copy_out(t.codes + set(s), q.codes.size()) != q.codes) return "WRONG quant_out";
          continue;
        }
        const Bytes norm = copy_out(t.norm_out + set(s), bytes);
        if (exact && norm == verified) continue;
        if (r == 0 && compare_norm(p, norm, residual, inputs_[0].gamma).wrong)
          return "WRONG norm_out";
        if (r == 0) first = norm;
        if (norm != first || (exact && !verified.empty())) return "WRONG ranks or variants differ";
        if (exact && r + 1 == world()) verified = norm;
      }
    }
    return "ok";
  }

  // Times, checks and prints a row; its median, or infinity if it cannot run or is wrong.
  double row(const std::string& name, bool exact, const std::function<bool(int)>& enqueue,
             int pattern = ARF_RESIDUAL_RMSNORM) {
    if (!timer_->capture(kCalls, enqueue)) {
      std::printf("%zu,%d,%d,%s,cannot run\n", world(), hidden_, tokens_, name.c_str());
      return HUGE_VAL;
    }
    const Sample t = timer_->measure(3, o_.replays);
    for (size_t r = 0; r < world(); r++) {
      on(r);
      for (char* output : {tensors_[r].residual_out, tensors_[r].norm_out, tensors_[r].codes})
        cuda_or_exit(cudaMemset(output, 0xff, kSets * set_bytes_), "memset");
      cuda_or_exit(cudaMemset(tensors_[r].scales, 0xff, kSets * scale_capacity()), "memset");
      cuda_or_exit(cudaDeviceSynchronize(), "synchronize");
    }
    (void)timer_->replay();
    const std::string verdict = check(exact, pattern);
    if (verdict != "ok") wrong_++;
    for (FILE* f : {csv_, verdict != "ok" || csv_ == nullptr ? stdout : nullptr})
      if (f != nullptr) {
        std::fprintf(f, "%zu,%d,%d,%s,%.3f,%.3f,%.3f,%s\n", world(), hidden_, tokens_, name.c_str(),
                     t.p50, t.least, t.p99, verdict.c_str());
        std::fflush(f);
      }
    return verdict == "ok" ? t.p50 : HUGE_VAL;
  }

  double own(const std::string& name, const Manner& m, bool pdl = true,
             int pattern = ARF_RESIDUAL_RMSNORM) {
    return row(
        name, true,
        [&](int k) {
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
            a.group_size = problem(k).group_size;
            a.layout = problem(k).layout;
            a.quant_out = t.codes + set(k);
            a.scale_out = t.scales + scale_set(k);
            a.scale_factor = t.scale_factors + (quantiser_of(pattern) == kFp4 ? 1 : 0);
            a.flags = pdl ? ARF_PDL : 0;
            a.in = t.in + set(k);
            a.residual_in = t.residual + set(k);
            a.gamma = t.gamma;
            a.residual_out = t.residual_out + set(k);
            a.norm_out = t.norm_out + set(k);
            if (arf_launch(comms_[r], &a, streams_[r]) != ARF_OK) return false;
          }
          return true;
        },
        pattern);
  }

  // One-shot in every split of a row that is not plainly too wide or too narrow; two-shot where it
  // can win. Then, for the best, pauses between polls and fewer rows at a time.
  void sweep() {
    std::string best_name;
    Manner best;
    double least = HUGE_VAL;
    const auto attempt = [&](const std::string& name, const Manner& m) {
      const double t = own(name, m);
      if (t < least) least = t, best = m, best_name = name;
    };
    for (const int algorithm : {ARF_ONESHOT, ARF_TWOSHOT}) {
      if (algorithm == ARF_TWOSHOT && world() == 2 && o_.transport != ARF_TRANSPORT_HOST) continue;
      for (const int cluster : {1, 2, 4, 8})
        for (const int packs : {1, 2}) {
          const int threads = hidden_ / 8 / cluster / packs;
          if (tokens_ * cluster > 1100 || threads > 512 || threads < 96) continue;
          Manner m;
          m.algorithm = algorithm;
          m.cluster = cluster;
          m.packs = packs;
          attempt(std::string(algorithm == ARF_ONESHOT ? "oneshot" : "twoshot") + "_c" +
                      std::to_string(cluster) + "_p" + std::to_string(packs),
                  m);
        }
    }
    const Manner base = best;
    const std::string base_name = best_name;
    for (const int pause : {20, 100, 300}) {
      Manner m = base;
      m.pause_ns = pause;
      attempt(base_name + "_w" + std::to_string(pause), m);
    }
    for (const int units : {66, 88, 132}) {
      if (tokens_ <= 2 * units && tokens_ != 128) continue;
      Manner m = base;
      m.max_units = units;
      attempt(base_name + "_u" + std::to_string(units), m);
    }
  }

  void baselines() {
    const auto count = static_cast<size_t>(tokens_) * static_cast<size_t>(hidden_);
    for (const bool symmetric : {false, true}) {
      if (symmetric && (symmetric_in_.empty() || symmetric_out_.empty())) continue;
      for (const bool pdl : {false, true})
        row(std::string(symmetric ? "nccl_symmetric" : "nccl") + "+norm" + (pdl ? "_pdl" : ""),
            false, [&](int k) {
              std::vector<void*> in, out;
              for (size_t r = 0; r < world(); r++) {
                in.push_back((symmetric ? static_cast<char*>(symmetric_in_[r]) : tensors_[r].in) +
                             set(k));
                out.push_back(
                    (symmetric ? static_cast<char*>(symmetric_out_[r]) : tensors_[r].sum) + set(k));
              }
              if (!nccl_->all_reduce(in, out, count, streams_)) return false;
              for (size_t r = 0; r < world(); r++) {
                on(r);
                const Tensors& t = tensors_[r];
                if (launch_norm(out[r], t.residual + set(k), t.gamma, t.residual_out + set(k),
                                t.norm_out + set(k), tokens_, hidden_, 1e-6f, pdl,
                                streams_[r]) != cudaSuccess)
                  return false;
              }
              return true;
            });
    }
  }

  Options o_;
  int max_tokens_ = 0, max_hidden_ = 0, tokens_ = 0, hidden_ = 0;
  size_t set_bytes_ = 0;
  std::vector<arf_comm*> comms_;
  std::vector<Tensors> tensors_;
  std::vector<cudaStream_t> streams_;
  std::unique_ptr<GraphTimer> timer_;
  std::unique_ptr<Nccl> nccl_;
  std::vector<void*> symmetric_in_, symmetric_out_;
  std::vector<Inputs> inputs_;
  std::vector<Expected> expected_;
  std::vector<Bytes> verified_;  // norm_out of a set, once it was found right
  FILE* csv_ = nullptr;
  int wrong_ = 0;
};

}  // namespace

int run(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; i++) {
    const std::string a = argv[i];
    if (a == "--sweep") {
      o.sweep = true;
      continue;
    }
    const std::string v = i + 1 < argc ? argv[++i] : "";
    if (a == "--devices") o.devices = numbers(v);
    if (a == "--hidden") o.hidden = numbers(v);
    if (a == "--tokens") o.tokens = numbers(v);
    if (a == "--patterns") o.patterns = numbers(v);
    if (a == "--transport") o.transport = v == "host" ? ARF_TRANSPORT_HOST : ARF_TRANSPORT_PEER;
    if (a == "--nccl") o.nccl = v;
    if (a == "--csv") o.csv = v;
    if (a == "--replays") o.replays = std::atoi(v.c_str());
  }
  if (o.devices.size() < 2) {
    std::fprintf(
        stderr,
        "usage: arf_bench --devices 0,1 [--hidden …] [--tokens …] [--sweep] [--transport host] "
        "[--patterns 1,2,3,8,10] [--nccl LIBRARY] [--csv FILE]\n");
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
