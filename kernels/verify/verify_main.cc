// arf_verify: runs the kernels' test suite on the devices of this machine.
//
//   arf_verify --devices 0,1 [--quick] [--dtypes bf16,fp16,fp32] [--only matrix,soak] [--transport peer|host]
//              [--seed N]
//
// A device named several times holds several ranks. Exit: 0 all right, 4 something wrong, 2 cannot run.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sstream>
#include <thread>
#include <unistd.h>

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
  return option == "--calls" ? &w.calls : nullptr;
}

int usage() {
  std::fprintf(stderr, "usage: arf_verify --devices 0,1 [--quick] [--dtypes bf16,fp16,fp32] [--only SUITE,…] [--transport peer|host] [--seed N]\n");
  return 2;
}

}  // namespace

void progress(const std::string& what) {
  const std::lock_guard lock(progress_mutex);
  doing = what;
  steps++;
}

void Score::add(const std::string& name, const std::string& problem) {
  cases++;
  if (problem.empty()) return;
  if (++wrong <= 20) {
    std::printf("WRONG %s: %s\n", name.c_str(), problem.c_str());
    std::fflush(stdout);
  }
}

int run(int argc, char** argv) {
  Options o;
  Worker w;
  std::vector<std::string> only;
  for (int i = 1; i < argc; i++) {
    const std::string a = argv[i];
    if (a == "--quick") {
      o.quick = true;
      continue;
    }
    if (i + 1 >= argc) return usage();
    const std::string v = argv[++i];
    if (a == "--devices") {
      for (const auto& d : split(v)) o.devices.push_back(std::atoi(d.c_str()));
    } else if (a == "--dtypes") {
      o.dtypes.clear();
      for (const auto& d : split(v)) o.dtypes.push_back(d == "fp32" ? ARF_FP32 : d == "fp16" ? ARF_FP16 : ARF_BF16);
    } else if (a == "--only") {
      only = split(v);
    } else if (a == "--seed") {
      o.seed = static_cast<uint64_t>(std::atoll(v.c_str()));
    } else if (a == "--transport") {
      o.transport = w.transport = v == "host" ? ARF_TRANSPORT_HOST : v == "peer" ? ARF_TRANSPORT_PEER : std::atoi(v.c_str());
    } else if (a == "--worker") {
      w.room = v;
    } else if (int* const number = worker_number(w, a)) {
      *number = std::atoi(v.c_str());
    } else {
      return usage();
    }
  }
  if (!w.room.empty()) return run_worker(w);
  if (o.devices.size() < 2) return usage();
  std::thread(watch).detach();
  const struct {
    const char* name;
    void (*run)(const Options&, Score&);
  } suites[] = {{"matrix", run_matrix},     {"data", run_data},     {"quantised", run_quantised},
                {"graphs", run_graphs},     {"soak", run_soak},
                {"failures", run_failures}, {"processes", run_processes}, {"delays", run_delays},
                {"controls", run_controls}};
  std::printf("arf_verify %s, %zu ranks\n", arf_build_info(), o.devices.size());
  uint64_t wrong = 0;
  for (const auto& suite : suites) {
    bool wanted = only.empty();
    for (const auto& name : only) wanted = wanted || name == suite.name;
    if (!wanted) continue;
    Score score;
    const auto start = std::chrono::steady_clock::now();
    suite.run(o, score);
    const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (score.cases == 0) continue;
    std::printf("%-10s %7llu cases  %llu wrong  %.1f s\n", suite.name, static_cast<unsigned long long>(score.cases),
                static_cast<unsigned long long>(score.wrong), s);
    std::fflush(stdout);
    wrong += score.wrong;
  }
  std::printf("%s\n", wrong == 0 ? "all right" : "NOT all right");
  return wrong == 0 ? 0 : 4;
}

}  // namespace arf::verify

int main(int argc, char** argv) { return arf::verify::run(argc, argv); }
