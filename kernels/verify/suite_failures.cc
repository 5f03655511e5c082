// Suites of calls that must fail, and how.
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <thread>

#include "verify/numbers.h"
#include "verify/suite.h"

#ifdef ARF_TEST
#include "host/test_hooks.h"
#endif

namespace arf::verify {
namespace {

arf_config short_config(const Options& o, uint64_t timeout_ns) {
  arf_config c;
  arf_config_init(&c);
  c.max_tokens = 64;
  c.max_hidden = 4096;
  c.timeout_ns = timeout_ns;
  c.transport = o.transport;
  return c;
}

Problem small(const Rig& rig, uint64_t seed) {
  Problem p;
  p.world = rig.world();
  p.tokens = 4;
  p.hidden = 4096;
  p.pattern = ARF_RESIDUAL_RMSNORM;
  p.seed = seed;
  return p;
}

bool all_nan(const Bytes& t, int dtype) {
  for (size_t i = 0; i < t.size() / static_cast<size_t>(size_of(dtype)); i++)
    if (!std::isnan(to_float(dtype, get(t, dtype, i)))) return false;
  return true;
}

std::string expect_code(Rig& rig, int rank, int code) {
  arf_status s;
  arf_comm_status(rig.rank(rank).comm, &s);
  if (s.code == code) return {};
  return "rank " + std::to_string(rank) + " says '" + arf_strerror(s.code) + "', not '" +
         arf_strerror(code) + "'";
}

// A rank that never comes: the others give up in time, with NaN, and say so ever after.
std::string absent_rank(const Options& o, int algorithm) {
  using clock = std::chrono::steady_clock;
  Rig rig(o.devices, short_config(o, 300'000'000));
  Problem p = small(rig, o.seed);
  Manner m;
  m.algorithm = algorithm;
  if (std::string e = rig.run(p, m); !e.empty()) return e;
  const Inputs in = make_inputs(p);
  rig.load(p, in);
  const int absent = rig.world() - 1;
  const auto start = clock::now();
  if (int e = rig.launch(p, m, absent)) return arf_strerror(e);
  rig.synchronise();
  if (clock::now() - start > std::chrono::milliseconds(1300))
    return "took longer than the time-out and a second";
  for (int r = 0; r < absent; r++) {
    if (std::string e = expect_code(rig, r, ARF_ERR_TIMEOUT); !e.empty()) return e;
    cuda_or_exit(cudaSetDevice(rig.rank(r).device), "cudaSetDevice");
    if (!all_nan(rig.rank(r).norm_out.read(), p.dtype)) return "norm_out is not all NaN";
    const arf_params a = rig.params(p, m, r);
    if (arf_launch(rig.rank(r).comm, &a, rig.rank(r).stream) != ARF_ERR_POISONED)
      return "a later call is not refused";
  }
  return {};
}

// Ranks that disagree about the number of tokens.
std::string mismatch(const Options& o, int algorithm) {
  Rig rig(o.devices, short_config(o, 300'000'000));
  Problem p = small(rig, o.seed);
  const Inputs in = make_inputs(p);
  rig.load(p, in);
  Manner m;
  m.algorithm = algorithm;
  for (int r = 0; r < rig.world(); r++) {
    arf_params a = rig.params(p, m, r);
    if (r == 0) a.tokens = 3;
    if (int e = arf_launch(rig.rank(r).comm, &a, rig.rank(r).stream)) return arf_strerror(e);
  }
  rig.synchronise();
  for (int r = 0; r < rig.world(); r++) {
    arf_status s;
    arf_comm_status(rig.rank(r).comm, &s);
    if (s.code != ARF_ERR_MISMATCH && !(r != 0 && s.code == ARF_ERR_TIMEOUT))
      return "rank " + std::to_string(r) + " says '" + arf_strerror(s.code) + "'";
  }
  return {};
}

std::string aborted(const Options& o) {
  Rig rig(o.devices, short_config(o, 0));
  Problem p = small(rig, o.seed);
  rig.load(p, make_inputs(p));
  if (int e = rig.launch(p, {}, rig.world() - 1)) return arf_strerror(e);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (int r = 0; r < rig.world(); r++) arf_comm_abort(rig.rank(r).comm);
  rig.synchronise();
  return expect_code(rig, 0, ARF_ERR_ABORTED);
}

// Calls that must be refused, each with its own code.
void refusals(const Options& o, Score& s) {
  Rig rig(o.devices, short_config(o, 300'000'000));
  const Problem p = small(rig, o.seed);
  const arf_params good = rig.params(p, {}, 0);
  const auto refuse = [&](const char* name, int code, auto change) {
    arf_params a = good;
    change(a);
    const int got = arf_launch(rig.rank(0).comm, &a, rig.rank(0).stream);
    s.add(std::string("refuse ") + name,
          got == code ? "" : std::string("got '") + arf_strerror(got) + "'");
  };
  refuse("a wrong size", ARF_ERR_ARGUMENT, [](arf_params& a) { a.size--; });
  refuse("no input", ARF_ERR_ARGUMENT, [](arf_params& a) { a.in = nullptr; });
  refuse("no gamma", ARF_ERR_ARGUMENT, [](arf_params& a) { a.gamma = nullptr; });
  refuse("a type", ARF_ERR_DTYPE, [](arf_params& a) { a.dtype = 7; });
  refuse("a pattern", ARF_ERR_PATTERN, [](arf_params& a) { a.pattern = 99; });
  refuse("no tokens", ARF_ERR_SIZE, [](arf_params& a) { a.tokens = 0; });
  refuse("too many tokens", ARF_ERR_SIZE, [](arf_params& a) { a.tokens = 65; });
  refuse("too wide a row", ARF_ERR_SIZE, [](arf_params& a) { a.hidden = 8192; });
  refuse("a ragged row", ARF_ERR_HIDDEN, [](arf_params& a) { a.hidden = 4092; });
  refuse("misalignment", ARF_ERR_ALIGNMENT,
         [](arf_params& a) { a.in = static_cast<const char*>(a.in) + 8; });
  refuse("an overlap", ARF_ERR_ALIAS,
         [](arf_params& a) { a.norm_out = static_cast<char*>(a.residual_out) + 4096; });
  refuse("an algorithm", ARF_ERR_ALGORITHM, [](arf_params& a) { a.algorithm = 77; });
  refuse("a launch shape", ARF_ERR_LAUNCH, [](arf_params& a) { a.cluster = 3; });
}

}  // namespace

void run_failures(const Options& o, Score& s) {
  for (const int algorithm : algorithms(static_cast<int>(o.devices.size()))) {
    progress("absent rank");
    s.add("absent rank, algorithm " + std::to_string(algorithm), absent_rank(o, algorithm));
    progress("mismatch");
    s.add("mismatch, algorithm " + std::to_string(algorithm), mismatch(o, algorithm));
  }
  progress("abort");
  s.add("abort", aborted(o));
  refusals(o, s);
}

#ifdef ARF_TEST

void run_delays(const Options& o, Score& s) {
  Rig rig(o.devices, short_config(o, 5'000'000'000));
  std::mt19937_64 random(o.seed + 4);
  for (const int algorithm : algorithms(rig.world()))
    for (int round = 0; round < (o.quick ? 4 : 40); round++)
      for (int late = 0; late < rig.world(); late++)
        for (int where = 0; where < 3; where++) {
          uint32_t none[3] = {}, delay[3] = {};
          delay[where] = static_cast<uint32_t>(random() % 400'000);
          const uint32_t warp = round % 2 == 0 ? ~0u : static_cast<uint32_t>(random() % 4);
          for (int r = 0; r < rig.world(); r++)
            arf_test_set(rig.rank(r).comm, 0, r == late ? delay : none, warp);
          Problem p = small(rig, o.seed + 4);
          p.call = static_cast<uint32_t>(random());
          p.tokens = 1 + static_cast<int>(random() % 20);
          Manner m;
          m.algorithm = algorithm;
          m.max_units = round % 3 == 0 ? 3 : 0;
          const std::string name = "rank " + std::to_string(late) + " late at " +
                                   std::to_string(where) + ", " + describe(p, m);
          progress(name);
          s.add(name, rig.run(p, m));
        }
}

namespace {

// Calls with a late rank, every round on data of its own, one or four before the ranks are
// synchronised.
std::string provoke(Rig& rig, const Options& o, int algorithm, uint32_t fault) {
  std::mt19937_64 random(o.seed + 5);
  for (int round = 0; round < 20; round++) {
    uint32_t delay[3] = {}, none[3] = {};
    delay[round % 3] = 300'000;
    const uint32_t warp = round % 2 == 0 ? ~0u : 1u;
    for (int r = 0; r < rig.world(); r++)
      arf_test_set(rig.rank(r).comm, fault, r == round % rig.world() ? delay : none, warp);
    Problem p = small(rig, o.seed + 5);
    p.call = static_cast<uint32_t>(round);
    p.tokens = 6;
    const Inputs in = make_inputs(p);
    rig.load(p, in);
    Manner m;
    m.algorithm = algorithm;
    m.max_units = 2;
    for (int i = 0; i < (round % 4 < 2 ? 1 : 4); i++)
      if (int e = rig.launch(p, m)) return arf_strerror(e);
    rig.synchronise();
    if (std::string e = rig.check(p, m, in); !e.empty()) return e;
  }
  return {};
}

}  // namespace

void run_controls(const Options& o, Score& s) {
  const struct {
    const char* name;
    uint32_t fault;
  } faults[] = {{"no mistake", 0},   {"one half", 1},       {"inbox not emptied", 2},
                {"dropped rank", 4}, {"early sequence", 8}, {"no barrier", 16}};
  for (const int algorithm : algorithms(static_cast<int>(o.devices.size())))
    for (const auto& f : faults) {
      // What lies in a mailbox is never taken out; only there a row has to wait for its barrier.
      const bool possible = f.fault == 2    ? algorithm != ARF_PULL
                            : f.fault == 16 ? algorithm == ARF_PULL
                                            : true;
      if (!possible) continue;
      progress(f.name);
      Rig rig(o.devices, short_config(o, 300'000'000));
      const std::string seen = provoke(rig, o, algorithm, f.fault);
      const std::string name =
          std::string("control: ") + f.name + ", algorithm " + std::to_string(algorithm);
      if (f.fault == 0)
        s.add(name, seen);
      else
        s.add(name, seen.empty() ? "the mistake went unnoticed" : "");
    }
}

#else

void run_delays(const Options&, Score& s) {
  s.skipped = "these kernels have no hooks to be delayed by (arf_verify_faults has)";
}
void run_controls(const Options&, Score& s) {
  s.skipped = "these kernels make no deliberate mistakes (arf_verify_faults does)";
}

#endif

}  // namespace arf::verify
