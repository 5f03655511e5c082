// A picture of a benchmark: time against size, the crossover and the floor.
#pragma once

#include <string>
#include <vector>

#include "kernels/bench_table.h"

namespace ungate::kernels {

// An SVG document, a panel for every number of ranks and width: the fused kernel, NCCL + norm and
// the floor over the size of a rank's tensor, both axes logarithmic. A dashed line stands where
// NCCL begins to win. Empty if nothing was measured.
std::string plot_svg(const std::vector<BenchPoint>& points);

}  // namespace ungate::kernels
