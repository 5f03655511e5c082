#include "host/grid.h"

#include "host/comm.h"
#include "host/layout.h"
#include "kernel_table.h"
#include "pattern.h"

namespace arf {
namespace {

constexpr int kMaxSegmentsOfRow = 128;

}  // namespace

int packs_of_row(const arf_params& p) {
  return p.hidden * element_size(p.dtype) / 16;
}

int threads_for(int packs_of_row, int cluster, int packs) {
  const int share = cluster * packs;
  return ((packs_of_row + share - 1) / share + 31) / 32 * 32;
}

bool can_split(int packs_of_row, int cluster, int packs, int major) {
  const int threads = threads_for(packs_of_row, cluster, packs);
  return threads <= kMaxThreads && cluster * packs * threads / 32 <= kMaxSegmentsOfRow &&
         (cluster == 1 || major >= 9);
}

Call call_of(const arf_params& p) {
  Call c{};
  c.in = p.in;
  c.residual_in = p.residual_in;
  c.gamma = p.gamma;
  c.out = p.out;
  c.residual_out = p.residual_out;
  c.norm_out = gives_norm(p.pattern) ? p.norm_out : nullptr;
  c.quant_out = p.quant_out;
  c.scale_out = p.scale_out;
  c.scale_factor = p.scale_factor;
  c.tokens = static_cast<uint32_t>(p.tokens);
  c.packs = static_cast<uint32_t>(packs_of_row(p));
  c.quantiser = static_cast<uint32_t>(quantiser_of(p.pattern));
  c.group_lanes = static_cast<uint32_t>(p.group_size / 8);
  c.scale_stride = static_cast<uint32_t>(round_up(static_cast<uint64_t>(p.tokens), 4));
  c.scale_layout = static_cast<uint32_t>(p.layout);
  c.inverse_hidden = 1.0f / static_cast<float>(p.hidden);
  c.eps = p.eps;
  c.weight_bias = p.weight_bias;
  return c;
}

int launch(const Grid& grid, bool early, Call& call, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(grid.units * grid.cluster));
  config.blockDim = dim3(static_cast<unsigned>(grid.threads));
  config.stream = stream;
  cudaLaunchAttribute attributes[2]{};
  unsigned n = 0;
  if (grid.cluster > 1) {
    attributes[n].id = cudaLaunchAttributeClusterDimension;
    attributes[n].val.clusterDim.x = static_cast<unsigned>(grid.cluster);
    attributes[n].val.clusterDim.y = attributes[n].val.clusterDim.z = 1;
    n++;
  }
  if (early) {
    attributes[n].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[n].val.programmaticStreamSerializationAllowed = 1;
    n++;
  }
  config.attrs = attributes;
  config.numAttrs = n;
  void* arguments[] = {&call};
  return check(cudaLaunchKernelExC(&config, grid.kernel, arguments));
}

}  // namespace arf
