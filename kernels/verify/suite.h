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
};

struct Score {
  uint64_t cases = 0, wrong = 0;
  // Counts a case; `problem` is empty if it passed.
  void add(const std::string& name, const std::string& problem);
};

void run_matrix(const Options& o, Score& s);     // shapes x types x algorithms x launch shapes
void run_data(const Options& o, Score& s);       // infinities, NaNs, cancellation; in place; PDL
void run_quantised(const Options& o, Score& s);  // the patterns with a quantiser, bit for bit
void run_graphs(const Options& o, Score& s);     // odd numbers of calls a graph, replayed, mixed with eager calls
void run_soak(const Options& o, Score& s);       // random calls of every kind, one after another
void run_failures(const Options& o, Score& s);   // absent rank, disagreeing ranks, abort, refused calls
void run_delays(const Options& o, Score& s);     // test builds: a rank or a warp that is late
void run_controls(const Options& o, Score& s);   // test builds: deliberate mistakes must be noticed

// Tells the watchdog that things go on; `what` is printed if they stop doing so.
void progress(const std::string& what);

}  // namespace arf::verify
