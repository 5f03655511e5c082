// The command line of arf_bench.
#pragma once

#include <string>
#include <vector>

#include "arf.h"

namespace arf::verify {

struct BenchOptions {
  std::vector<int> devices, hidden{7168, 4096}, tokens{1, 8, 32, 64, 128, 256, 512};
  std::vector<int> patterns{ARF_RESIDUAL_RMSNORM};
  bool sweep = false, tune = false;
  int transport = ARF_TRANSPORT_AUTO;
  std::string nccl, csv, shapes;
  int replays = 21;
};

// False if it cannot be understood.
bool parse_options(int argc, char** argv, BenchOptions& o);

}  // namespace arf::verify
