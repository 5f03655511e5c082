// Calls in CUDA graphs.
#include <chrono>
#include <memory>
#include <random>
#include <thread>

#include "verify/numbers.h"
#include "verify/suite.h"

#ifdef ARF_TEST
#include "host/test_hooks.h"
#endif

namespace arf::verify {
namespace {

// A graph a rank, of n sums, each of the one before; powers of two times whole numbers are exact.
class Chain {
 public:
  Chain(Rig& rig, const Problem& p, const Manner& m, int n)
      : rig_(rig), executables_(static_cast<size_t>(rig.world())) {
    for (int r = 0; r < rig.world(); r++) {
      Rank& k = rig.rank(r);
      cuda_or_exit(cudaSetDevice(k.device), "cudaSetDevice");
      cuda_or_exit(cudaStreamBeginCapture(k.stream, cudaStreamCaptureModeRelaxed), "capture");
      for (int i = 0; i < n; i++) {
        arf_params a = rig.params(p, m, r);
        if (i % 2 == 1) {
          a.in = k.out.data();
          a.out = k.in.data();
        }
        if (int e = arf_launch(k.comm, &a, k.stream)) error_ = arf_strerror(e);
      }
      cudaGraph_t graph = nullptr;
      cuda_or_exit(cudaStreamEndCapture(k.stream, &graph), "end of capture");
      cuda_or_exit(cudaGraphInstantiate(&executables_[static_cast<size_t>(r)], graph, 0),
                   "instantiation");
      cuda_or_exit(cudaGraphDestroy(graph), "cudaGraphDestroy");
    }
  }
  ~Chain() {
    for (auto& e : executables_) (void)cudaGraphExecDestroy(e);
  }
  const std::string& error() const { return error_; }
  // Ranks begin up to `skew_us` apart.
  void replay(std::mt19937& random, int skew_us) {
    for (int r = 0; r < rig_.world(); r++) {
      if (skew_us > 0)
        std::this_thread::sleep_for(
            std::chrono::microseconds(random() % static_cast<unsigned>(skew_us)));
      cuda_or_exit(cudaSetDevice(rig_.rank(r).device), "cudaSetDevice");
      cuda_or_exit(cudaGraphLaunch(executables_[static_cast<size_t>(r)], rig_.rank(r).stream),
                   "cudaGraphLaunch");
    }
    rig_.synchronise();
  }

 private:
  Rig& rig_;
  std::vector<cudaGraphExec_t> executables_;
  std::string error_;
};

Bytes times(const Bytes& t, int factor) {
  Bytes out(t.size());
  for (size_t i = 0; i < t.size() / 2; i++) {
    const uint32_t bits =
        to_bits(ARF_BF16, to_float(ARF_BF16, get(t, ARF_BF16, i)) * static_cast<float>(factor));
    out[2 * i] = static_cast<uint8_t>(bits);
    out[2 * i + 1] = static_cast<uint8_t>(bits >> 8);
  }
  return out;
}

std::string replay_once(Rig& rig, Chain& chain, Problem p, int n, std::mt19937& random) {
  const Inputs in = make_inputs(p);
  rig.load(p, in);
  chain.replay(random, p.call % 2 == 0 ? 200 : 0);
  if (std::string f = rig.failure(); !f.empty()) return f;
  int factor = 1;
  for (int i = 1; i < n; i++) factor *= rig.world();
  const Bytes want = times(expect(p, in).sum, factor);
  for (int r = 0; r < rig.world(); r++) {
    cuda_or_exit(cudaSetDevice(rig.rank(r).device), "cudaSetDevice");
    const Bytes got = (n % 2 == 1 ? rig.rank(r).out : rig.rank(r).in).read();
    if (const Difference d = compare_exact(ARF_BF16, got, want); d.wrong)
      return "rank " + std::to_string(r) + ": " + std::to_string(d.wrong) + " wrong";
  }
  return {};
}

// Test builds: what is captured from here on has ranks that are late at a place of each.
void delay_ranks([[maybe_unused]] Rig& rig, [[maybe_unused]] std::mt19937& random,
                 [[maybe_unused]] bool late = true) {
#ifdef ARF_TEST
  for (int r = 0; r < rig.world(); r++) {
    uint32_t delay[3] = {};
    if (late) delay[random() % 3] = static_cast<uint32_t>(random() % 30'000);
    arf_test_set(rig.rank(r).comm, 0, delay, ~0u);
  }
#endif
}

}  // namespace

void run_graphs(const Options& o, Score& s) {
  Rig rig(o.devices, config_for(o, 64, 2048, ARF_BF16));
  Problem p;
  p.world = rig.world();
  p.hidden = 2048;
  p.data = Data::integers;
  p.seed = o.seed + 2;
  std::mt19937 random(static_cast<unsigned>(o.seed));
  for (const int algorithm : algorithms(rig.world()))
    for (const bool pdl : {false, true}) {
      Manner m;
      m.algorithm = algorithm;
      m.pdl = pdl;
      std::vector<std::unique_ptr<Chain>> chains;
      const int lengths[] = {1, 2, 3, 7};
      for (const int n : lengths) {
        p.tokens = n == 3 ? 40 : 5;
        delay_ranks(rig, random);
        chains.push_back(std::make_unique<Chain>(rig, p, m, n));
        if (!chains.back()->error().empty()) s.add("capture", chains.back()->error());
      }
      delay_ranks(rig, random, false);
      for (int round = 0; round < (o.quick ? 10 : 250); round++)
        for (size_t i = 0; i < chains.size(); i++) {
          const int n = lengths[i];
          p.tokens = n == 3 ? 40 : 5;
          p.call++;
          const std::string name = "graph of " + std::to_string(n) + ", replay " +
                                   std::to_string(round) + ", " + describe(p, m);
          progress(name);
          s.add(name, replay_once(rig, *chains[i], p, n, random));
          if (round % (o.quick ? 5 : 25) == 0) {
            p.tokens = 9;
            p.call++;
            one(rig, p, m, s);
          }
        }
    }
}

}  // namespace arf::verify
