// The rows that arf_bench writes, and what they say about fusing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ungate::kernels {

// One timed variant. µs a call.
struct BenchRow {
  int ranks = 0, hidden = 0, tokens = 0;
  std::string variant;
  double median = 0, least = 0, p99 = 0;
  bool right = false;  // its outputs were checked
};

// `malformed` names the line.
Result<std::vector<BenchRow>> read_rows(std::string_view csv);

// One size: our kernel as it runs by default, and the best allreduce + norm of NCCL.
struct BenchPoint {
  int ranks = 0, hidden = 0, tokens = 0;
  double ours = 0, p99 = 0, nccl = 0;  // 0: not measured, or wrong
  double floor = 0;  // a norm of one token, an exchange of one flag, and the link; 0: not measured
  std::string nccl_variant;
  int wrong = 0;  // variants whose outputs were wrong

  double kilobytes() const { return static_cast<double>(hidden) * tokens * 2 / 1024; }
  // As nccl-tests count it, GB/s; 0 if it was not measured.
  double algorithm_bandwidth() const { return ours == 0 ? 0 : kilobytes() * 1.024 / ours; }
  double bus_bandwidth() const { return algorithm_bandwidth() * 2 * (ranks - 1) / ranks; }
};
std::vector<BenchPoint> points(const std::vector<BenchRow>& rows);

// The size in KB at which NCCL begins to win, between the last size where fusing does and the first
// where it does not (geometric middle); 0 if there is no such place among the sizes measured.
double crossover(const std::vector<BenchPoint>& points, int ranks, int hidden);

// One sentence for a number of ranks and a width: up to which size fusing wins.
std::string advice(const std::vector<BenchPoint>& points, int ranks, int hidden);

}  // namespace ungate::kernels
