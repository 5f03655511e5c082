// The parts of the test suite. Each runs its cases, prints what is wrong and counts it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "verify/rig.h"

namespace arf::verify {

struct Options {
  std::vector<int> devices;
  bool quick = false;
  uint64_t seed = 1;
  std::vector<int> dtypes{ARF_BF16};
  int transport = ARF_TRANSPORT_AUTO;
};

// One rank of the suite `processes`, run by a process of its own.
struct Worker {
  std::string room;  // folder where the ranks meet
  int rank = 0, world = 0, device = 0, transport = 0, calls = 0;
  int doomed = -1;  // the rank that kills itself, if any
  int moment = 0;   // when: before it launches a call, at once after, when the call has ended
};
int run_worker(const Worker& w);

struct Score {
  uint64_t cases = 0, wrong = 0;
  std::string skipped;  // why no case was run, if none was
  // Counts a case; `problem` is empty if it passed.
  void add(const std::string& name, const std::string& problem);
};

void run_matrix(const Options& o, Score& s);     // shapes x types x algorithms x launch shapes
void run_data(const Options& o, Score& s);       // infinities, NaNs, cancellation; in place; PDL
void run_quantised(const Options& o, Score& s);  // the patterns with a quantiser, bit for bit
void run_experts(const Options& o, Score& s);    // the patterns that begin with experts
void run_finish(const Options& o, Score& s);     // arf_finish() after a sum, against the fused call
void run_graphs(const Options& o,
                Score& s);  // odd numbers of calls a graph, replayed, mixed with eager calls
void run_soak(const Options& o, Score& s);  // random calls of every kind, one after another
void run_failures(const Options& o,
                  Score& s);  // absent rank, disagreeing ranks, abort, refused calls
void run_processes(const Options& o,
                   Score& s);  // a process a rank, by both transports; one that is killed
void run_delays(const Options& o, Score& s);    // test builds: a rank or a warp that is late
void run_controls(const Options& o, Score& s);  // test builds: deliberate mistakes must be noticed

// A communicator for calls of up to this size, by either algorithm.
arf_config config_for(const Options& o, int tokens, int hidden, int dtype);

// One call from beginning to end, counted.
void one(Rig& rig, const Problem& p, const Manner& m, Score& s);

// Tells the watchdog that things go on; `what` is printed if they stop doing so.
void progress(const std::string& what);

}  // namespace arf::verify
