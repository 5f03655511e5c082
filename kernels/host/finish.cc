// Residual, norm and quantiser after somebody else's sum.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "host/check.h"
#include "host/comm.h"
#include "host/grid.h"
#include "kernel_table.h"
#include "pattern.h"

namespace arf {
namespace {

// Rows are independent and nothing waits: enough blocks to keep every multiprocessor busy.
constexpr int kBlocksOfMultiprocessor = 4;

// The fewest blocks a row. Which it is does not change the outputs.
int choose_grid(const arf_params& p, int major, int multiprocessors, Grid& g) {
  for (const int cluster : {1, 2, 4, 8})
    for (const int packs : {1, 2}) {
      if (!can_split(packs_of_row(p), cluster, packs, major)) continue;
      const bool quantised = quantiser_of(p.pattern) != kNotQuantised;
      g.kernel = find_finish(p.dtype, packs, quantised ? kQuantised : kNorm);
      g.cluster = cluster;
      g.threads = threads_for(packs_of_row(p), cluster, packs);
      g.units =
          std::min(p.tokens, std::max(1, kBlocksOfMultiprocessor * multiprocessors / cluster));
      return g.kernel != nullptr ? ARF_OK : ARF_ERR_DTYPE;
    }
  return ARF_ERR_LAUNCH;
}

}  // namespace
}  // namespace arf

extern "C" int arf_finish(const arf_params* params, arf_stream stream) {
  if (params == nullptr || params->size != sizeof(arf_params) || params->version != ARF_VERSION)
    return ARF_ERR_ARGUMENT;
  if (params->pattern == ARF_ALLREDUCE || arf::is_moe(params->pattern)) return ARF_ERR_PATTERN;
  constexpr arf::Limits kMost{1 << 30, 1 << 20};
  if (int e = arf::check_params(kMost, *params)) return e;
  int device = 0, major = 0, multiprocessors = 0;
  if (int e = arf::check(cudaGetDevice(&device))) return e;
  if (int e = arf::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)))
    return e;
  if (int e = arf::check(
          cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device)))
    return e;
  arf::Grid grid;
  if (int e = arf::choose_grid(*params, major, multiprocessors, grid)) return e;
  arf::Call call = arf::call_of(*params);
  return arf::launch(grid, (params->flags & ARF_PDL) != 0 && major >= 9, call, stream);
}
