#include "host/choose.h"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "host/choices.h"
#include "host/comm.h"
#include "host/grid.h"
#include "kernel_table.h"
#include "pattern.h"

namespace arf {
namespace {

// The table of this machine counts, else the one that the library comes with.
const Choice* measured(const arf_comm& comm, int packs_of_row, int tokens) {
  if (const Choice* const c = find_choice(comm.choices, comm.world, packs_of_row, tokens)) return c;
  if (comm.config.transport == ARF_TRANSPORT_HOST) return nullptr;
  return find_choice(built_in_choices(), comm.world, packs_of_row, tokens);
}

// Where nothing was measured: one-shot while the bytes that it sends cost less than a second trip.
int algorithm_by_rule(int world, size_t bytes) {
  const size_t limit = world == 2 ? SIZE_MAX : world == 4 ? 256 << 10 : 64 << 10;
  return bytes <= limit ? ARF_ONESHOT : ARF_TWOSHOT;
}

// The most blocks a row that leave every row its own multiprocessors (few rows: one multiprocessor
// sends too slowly), one pack a thread if it fits. What the caller asked for counts, if it fits.
bool split_by_rule(const arf_comm& comm, const arf_params& p, int packs_of_row, Shape& s) {
  const int budget = comm.multiprocessors / comm.ranks_on_device;
  bool found = false;
  for (const int cluster : {1, 2, 4, 8})
    for (const int packs : {2, 1}) {
      const bool possible = can_split(packs_of_row, cluster, packs, comm.major) &&
                            (p.cluster == 0 || p.cluster == cluster) &&
                            (p.packs == 0 || p.packs == packs);
      if (!possible) continue;
      const bool wanted = p.cluster != 0 || (cluster <= 4 && p.tokens * cluster <= budget);
      if (found && !wanted && cluster != s.cluster) continue;
      s.cluster = cluster;
      s.packs = packs;
      found = true;
    }
  return found;
}

// How many clusters of this shape the device holds at a time; 0 if none.
int resident(arf_comm& comm, const Shape& s) {
  const auto key = std::make_tuple(s.kernel, s.threads, s.cluster);
  const auto known = comm.resident.find(key);
  if (known != comm.resident.end()) return known->second;
  int clusters = 0;
  if (s.cluster == 1) {
    int blocks = 0;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, s.kernel, s.threads, 0) ==
        cudaSuccess)
      clusters = blocks * comm.multiprocessors;
  } else {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(s.cluster));
    config.blockDim = dim3(static_cast<unsigned>(s.threads));
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(s.cluster);
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    (void)cudaOccupancyMaxActiveClusters(&clusters, s.kernel, &config);
  }
  (void)cudaGetLastError();
  comm.resident[key] = clusters;
  return clusters;
}

}  // namespace

int choose_shape(arf_comm& comm, const arf_params& p, int packs_of_row, bool nccl, Shape& s) {
  const Choice* const known = measured(comm, packs_of_row, p.tokens);
  const bool roomy = static_cast<uint32_t>(p.tokens) <= comm.layout.oneshot_rows;
  s.algorithm = p.algorithm;
  if (s.algorithm == ARF_AUTO) {
    const size_t bytes = static_cast<size_t>(p.tokens) * static_cast<size_t>(packs_of_row) * 16;
    const bool usable = known && (known->algorithm != ARF_NCCL || nccl);
    s.algorithm = usable ? known->algorithm : algorithm_by_rule(comm.world, bytes);
    if (s.algorithm == ARF_NCCL) return ARF_OK;
    if (!roomy && s.algorithm == ARF_ONESHOT) s.algorithm = ARF_TWOSHOT;
  }
  if (s.algorithm == ARF_NCCL) return nccl ? ARF_OK : ARF_ERR_ALGORITHM;
  if (s.algorithm < ARF_ONESHOT || s.algorithm > kAlgorithmCount) return ARF_ERR_ALGORITHM;
  if (s.algorithm == ARF_ONESHOT && !roomy) return ARF_ERR_ALGORITHM;
  const bool open = p.cluster == 0 && p.packs == 0 && p.max_units == 0;
  const bool apply = open && known != nullptr && known->algorithm == s.algorithm &&
                     can_split(packs_of_row, known->cluster, known->packs, comm.major);
  if (apply) {
    s.cluster = known->cluster;
    s.packs = known->packs;
  } else if (!split_by_rule(comm, p, packs_of_row, s)) {
    return ARF_ERR_LAUNCH;
  }
  s.pause_ns = p.pause_ns != 0 ? std::max(p.pause_ns, 0) : apply ? known->pause_ns : 0;
  s.threads = threads_for(packs_of_row, s.cluster, s.packs);
  const int epilogue = p.pattern == ARF_ALLREDUCE                 ? kPlain
                       : quantiser_of(p.pattern) == kNotQuantised ? kNorm
                                                                  : kQuantised;
  s.kernel = find_kernel({p.dtype, s.algorithm, comm.world, s.packs, epilogue});
  if (s.kernel == nullptr) return ARF_ERR_ALGORITHM;
  int most = resident(comm, s) / comm.ranks_on_device;
  if (p.max_units > 0) most = std::min(most, p.max_units);
  if (apply && known->units > 0) most = std::min(most, known->units);
  if (most <= 0) return ARF_ERR_LAUNCH;
  s.units = std::min(p.tokens, most);
  return ARF_OK;
}

}  // namespace arf
