// One process a rank: the calls of one process see only that rank's tensors.
//
// The suite starts this program again, once a rank, with a folder where the ranks leave what the
// others must know. A worker's exit code says what it saw.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "verify/suite.h"

namespace arf::verify {
namespace {

using Clock = std::chrono::steady_clock;

enum Exit { kFine = 0, kUnusable = 2, kWrong = 4, kPeerLost = 5, kPeerLostLate = 6 };

constexpr uint64_t kTimeout = 1'000'000'000;
constexpr int kCallBeforeDeath = 7;

std::string path_of(const std::string& room, int rank) {
  return room + "/" + std::to_string(rank);
}

void leave(const std::string& path, const std::vector<char>& content) {
  {
    std::ofstream out(path + ".part", std::ios::binary);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  (void)rename((path + ".part").c_str(), path.c_str());
}

// Waits until every rank has left its file; false after thirty seconds.
bool meet(const Worker& w, const std::string& suffix, const std::vector<char>& own = {}) {
  leave(path_of(w.room, w.rank) + suffix, own);
  const auto end = Clock::now() + std::chrono::seconds(30);
  for (int r = 0; r < w.world; r++)
    while (access((path_of(w.room, r) + suffix).c_str(), R_OK) != 0) {
      if (Clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  return true;
}

// Leaves this rank's blob and takes everybody's.
bool exchange(const Worker& w, const std::vector<char>& own, std::vector<char>& all) {
  if (!meet(w, ".blob", own)) return false;
  for (int r = 0; r < w.world; r++) {
    std::ifstream in(path_of(w.room, r) + ".blob", std::ios::binary);
    all.insert(all.end(), std::istreambuf_iterator<char>(in), {});
  }
  return all.size() == own.size() * static_cast<size_t>(w.world);
}

arf_comm* connect(const Worker& w, const arf_config& config) {
  arf_comm* comm = nullptr;
  size_t length = 0;
  if (arf_comm_create(w.rank, w.world, w.device, &config, &comm) != ARF_OK) return nullptr;
  if (arf_comm_export(comm, nullptr, &length) != ARF_OK) return nullptr;
  std::vector<char> own(length), all;
  if (arf_comm_export(comm, own.data(), &length) != ARF_OK || !exchange(w, own, all))
    return nullptr;
  return arf_comm_import(comm, all.data(), length) == ARF_OK ? comm : nullptr;
}

// The same sequence of calls in every process.
Problem next_problem(std::mt19937_64& random, int world, int call, Manner& m) {
  Problem p;
  p.world = world;
  p.call = static_cast<uint32_t>(call);
  constexpr int kPatterns[] = {0, 1, 4, 5, 9, 11};
  p.pattern = kPatterns[random() % std::size(kPatterns)];
  p.hidden = static_cast<int>(1 + random() % 4) * 1024;
  p.tokens = 1 + static_cast<int>(random() % 40);
  m = {};
  m.algorithm = static_cast<int>(random() % 4);
  m.pdl = random() % 2 == 0;
  return p;
}

pid_t start_program(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  return pid;
}

// Starts a worker a rank and returns their exit codes; -1 for one that was killed or had to be.
std::vector<int> run_workers(const Options& o, int transport, int doomed, int moment) {
  char room[] = "/tmp/arf-room-XXXXXX";
  if (mkdtemp(room) == nullptr) return {};
  const auto world = static_cast<int>(o.devices.size());
  std::vector<pid_t> pids;
  for (int r = 0; r < world; r++)
    pids.push_back(start_program(
        "/proc/self/exe",
        {"--worker", room, "--rank", std::to_string(r), "--world", std::to_string(world),
         "--device", std::to_string(o.devices[static_cast<size_t>(r)]), "--transport",
         std::to_string(transport), "--doomed", std::to_string(doomed), "--moment",
         std::to_string(moment), "--calls", o.quick ? "60" : "600"}));
  std::vector<int> codes(pids.size(), -1);
  const auto end = Clock::now() + std::chrono::seconds(o.quick ? 40 : 200);
  for (size_t i = 0; i < pids.size(); i++) {
    int status = 0;
    while (waitpid(pids[i], &status, WNOHANG) == 0) {
      if (Clock::now() > end) (void)kill(pids[i], SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      progress("workers");
    }
    codes[i] = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::error_code ignored;
  std::filesystem::remove_all(room, ignored);
  return codes;
}

std::string expect_codes(const std::vector<int>& codes, int doomed) {
  if (codes.empty()) return "no room for the workers";
  for (size_t r = 0; r < codes.size(); r++) {
    const int want = doomed < 0 ? kFine : static_cast<int>(r) == doomed ? -1 : kPeerLost;
    if (codes[r] != want)
      return "rank " + std::to_string(r) + " ended with " + std::to_string(codes[r]) + ", not " +
             std::to_string(want);
  }
  return {};
}

}  // namespace

int run_worker(const Worker& w) {
  arf_config config;
  arf_config_init(&config);
  config.max_tokens = 64;
  config.max_hidden = 4096;
  config.timeout_ns = kTimeout;
  config.transport = w.transport;
  arf_comm* const comm = connect(w, config);
  if (comm == nullptr) {
    std::fprintf(stderr, "rank %d cannot connect: %s\n", w.rank, arf_last_cuda_error());
    return kUnusable;
  }
  Rig rig(w.rank, w.world, w.device, comm, config);
  std::mt19937_64 random(11);
  for (int call = 0; call < w.calls; call++) {
    Manner m;
    const Problem p = next_problem(random, w.world, call, m);
    const Inputs in = make_inputs(p);
    rig.load(p, in);
    const auto start = Clock::now();
    const auto die = [&](int moment) {
      if (call == kCallBeforeDeath && w.doomed == w.rank && w.moment == moment)
        (void)raise(SIGKILL);
    };
    die(0);
    const int e = rig.launch(p, m);
    die(1);
    rig.synchronise();
    die(2);
    const double waited = std::chrono::duration<double>(Clock::now() - start).count();
    arf_status s;
    (void)arf_comm_status(comm, &s);
    if (s.code == ARF_ERR_TIMEOUT || e == ARF_ERR_POISONED)
      return waited < 2 ? kPeerLost : kPeerLostLate;
    if (const std::string problem = rig.check(p, m, in); !problem.empty()) {
      std::fprintf(stderr, "rank %d: %s: %s\n", w.rank, describe(p, m).c_str(), problem.c_str());
      return kWrong;
    }
  }
  // Nobody's memory goes before everybody has ended the last call.
  return meet(w, ".end") ? kFine : kWrong;
}

void run_processes(const Options& o, Score& s) {
  for (size_t a = 0; a < o.devices.size(); a++)
    for (size_t b = 0; b < a; b++)
      if (o.devices[a] == o.devices[b]) {
        s.skipped = "ranks of several processes need a device each";
        return;
      }
  const struct {
    const char* name;
    int transport;
  } transports[] = {{"peer", ARF_TRANSPORT_PEER}, {"host", ARF_TRANSPORT_HOST}};
  for (const auto& t : transports) {
    s.add(std::string("a process a rank, ") + t.name,
          expect_codes(run_workers(o, t.transport, -1, 0), -1));
    const int doomed = static_cast<int>(o.devices.size()) - 1;
    // Before a call, during it, and between calls.
    for (const int moment : {0, 1, 2})
      s.add(std::string("a process killed at moment ") + std::to_string(moment) + ", " + t.name,
            expect_codes(run_workers(o, t.transport, doomed, moment), doomed));
  }
}

}  // namespace arf::verify
