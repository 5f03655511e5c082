// arf_verify: runs the kernels' test suite on the devices of this machine.
//
//   arf_verify --devices 0,1 [--quick] [--dtypes bf16,fp16,fp32] [--only matrix,soak] [--transport
//   peer|host]
//              [--seed N]
//
// A device named several times holds several ranks. A suite that cannot run says why. Exit: 0 all
// right, 4 something wrong, 2 cannot run (bad arguments, no device, no case that could be run).
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <sstream>
#include <thread>

#include "verify/suite.h"

namespace arf::verify {
namespace {

std::mutex progress_mutex;
std::string doing = "starting";
std::atomic<long> steps{0};

// Ends the process if nothing has moved for a while: a hang must not take the machine with it.
void watch() {
  long seen = -1;
  for (int still = 0;;) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const long now = steps;
    still = now == seen ? still + 1 : 0;
    seen = now;
    if (still < 40) continue;
    const std::lock_guard lock(progress_mutex);
    std::printf("HANG: %s\n", doing.c_str());
    std::fflush(stdout);
    _exit(4);
  }
}

std::vector<std::string> split(const std::string& s) {
  std::vector<std::string> out;
  std::stringstream in(s);
  for (std::string part; std::getline(in, part, ',');) out.push_back(part);
  return out;
}

// The options that the suite `processes` gives its workers.
int* worker_number(Worker& w, const std::string& option) {
  if (option == "--rank") return &w.rank;
  if (option == "--world") return &w.world;
  if (option == "--device") return &w.device;
  if (option == "--doomed") return &w.doomed;
  if (option == "--moment") return &w.moment;
  return option == "--calls" ? &w.calls : nullptr;
}

int usage() {
  std::fprintf(stderr,
               "usage: arf_verify --devices 0,1 [--quick] [--dtypes bf16,fp16,fp32] [--only "
               "SUITE,…] [--transport peer|host] [--seed N]\n");
  return 2;
}

}  // namespace

void progress(const std::string& what) {
  const std::lock_guard lock(progress_mutex);
  doing = what;
  steps++;
}

arf_config config_for(const Options& o, int tokens, int hidden, int dtype) {
  arf_config c;
  arf_config_init(&c);
  c.max_tokens = tokens;
  c.max_hidden = hidden;
  c.max_dtype = dtype;
  c.transport = o.transport;
  c.oneshot_bytes = uint64_t{1} << 30;
  return c;
}

void one(Rig& rig, const Problem& p, const Manner& m, Score& s) {
  progress(describe(p, m));
  s.add(describe(p, m), rig.run(p, m));
}

void Score::add(const std::string& name, const std::string& problem) {
  cases++;
  if (problem.empty()) return;
  if (++wrong <= 20) {
    std::printf("WRONG %s: %s\n", name.c_str(), problem.c_str());
    std::fflush(stdout);
  }
}

namespace {

constexpr struct {
  const char* name;
  void (*run)(const Options&, Score&);
} kSuites[] = {{"matrix", run_matrix},   {"data", run_data},         {"quantised", run_quantised},
               {"experts", run_experts}, {"finish", run_finish},     {"graphs", run_graphs},
               {"soak", run_soak},       {"failures", run_failures}, {"processes", run_processes},
               {"delays", run_delays},   {"controls", run_controls}};

bool known(const std::string& suite) {
  return std::any_of(std::begin(kSuites), std::end(kSuites),
                     [&](const auto& s) { return suite == s.name; });
}

int dtype_of(const std::string& name) {
  return name == "bf16" ? ARF_BF16 : name == "fp16" ? ARF_FP16 : name == "fp32" ? ARF_FP32 : -1;
}

// Reads the command line; false if it cannot be understood.
bool parse(int argc, char** argv, Options& o, Worker& w, std::vector<std::string>& only) {
  for (int i = 1; i < argc; i++) {
    const std::string a = argv[i];
    if (a == "--quick") {
      o.quick = true;
      continue;
    }
    if (i + 1 >= argc) return false;
    const std::string v = argv[++i];
    if (a == "--devices") {
      for (const auto& d : split(v)) o.devices.push_back(std::atoi(d.c_str()));
    } else if (a == "--dtypes") {
      o.dtypes.clear();
      for (const auto& d : split(v)) o.dtypes.push_back(dtype_of(d));
      if (o.dtypes.empty() || std::count(o.dtypes.begin(), o.dtypes.end(), -1) > 0) return false;
    } else if (a == "--only") {
      only = split(v);
      if (only.empty() || !std::all_of(only.begin(), only.end(), known)) return false;
    } else if (a == "--seed") {
      o.seed = static_cast<uint64_t>(std::atoll(v.c_str()));
    } else if (a == "--transport") {
      o.transport = w.transport = v == "host"   ? ARF_TRANSPORT_HOST
                                  : v == "peer" ? ARF_TRANSPORT_PEER
                                                : std::atoi(v.c_str());
    } else if (a == "--worker") {
      w.room = v;
    } else if (int* const number = worker_number(w, a)) {
      *number = std::atoi(v.c_str());
    } else {
      return false;
    }
  }
  return true;
}

// Runs a suite and prints its line.
Score run_suite(const char* name, void (*run)(const Options&, Score&), const Options& o) {
  Score score;
  const auto start = std::chrono::steady_clock::now();
  run(o, score);
  const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (score.cases == 0)
    std::printf("%-10s not run: %s\n", name, score.skipped.c_str());
  else
    std::printf("%-10s %7llu cases  %llu wrong  %.1f s\n", name,
                static_cast<unsigned long long>(score.cases),
                static_cast<unsigned long long>(score.wrong), s);
  std::fflush(stdout);
  return score;
}

}  // namespace

int run(int argc, char** argv) {
  Options o;
  Worker w;
  std::vector<std::string> only;
  if (!parse(argc, argv, o, w, only)) return usage();
  if (!w.room.empty()) return run_worker(w);
  if (o.devices.size() < 2) return usage();
  std::thread(watch).detach();
  std::printf("arf_verify %s, %zu ranks\n", arf_build_info(), o.devices.size());
  uint64_t cases = 0, wrong = 0;
  for (const auto& suite : kSuites) {
    if (!only.empty() && std::count(only.begin(), only.end(), suite.name) == 0) continue;
    const Score score = run_suite(suite.name, suite.run, o);
    cases += score.cases;
    wrong += score.wrong;
  }
  if (cases == 0) {
    std::fprintf(stderr, "arf_verify: nothing could be run\n");
    return 2;
  }
  std::printf("%s\n", wrong == 0 ? "all right" : "NOT all right");
  return wrong == 0 ? 0 : 4;
}

}  // namespace arf::verify

int main(int argc, char** argv) {
  return arf::verify::run(argc, argv);
}
