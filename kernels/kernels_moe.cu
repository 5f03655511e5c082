#include "moe.cuh"

#include <algorithm>

#include "host/comm.h"
#include "host/grid.h"
#include "host/moe.h"
#include "kernel_table.h"

namespace arf {

const void* find_moe(int dtype) {
  if (dtype == ARF_BF16) return reinterpret_cast<const void*>(&moe_input<Bf16>);
#ifndef ARF_FEW_KERNELS
  if (dtype == ARF_FP16) return reinterpret_cast<const void*>(&moe_input<Fp16>);
  if (dtype == ARF_FP32) return reinterpret_cast<const void*>(&moe_input<Fp32>);
#endif
  return nullptr;
}

int launch_moe_input(const arf_params& p, void* out, bool early, cudaStream_t stream) {
  MoeCall c{};
  c.experts = p.experts;
  c.scales = p.expert_scales;
  c.shared = p.shared;
  c.rows = p.pattern == ARF_MOE_FINALIZE ? p.expert_rows : nullptr;
  c.out = out;
  c.tokens = static_cast<uint32_t>(p.tokens);
  c.packs = static_cast<uint32_t>(packs_of_row(p));
  c.count = static_cast<uint32_t>(p.expert_count);
  c.routed_scale = p.pattern == ARF_MOE_FINALIZE ? p.routed_scale : 1.0f;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(std::min(p.tokens, 4096)));
  config.blockDim = dim3(256);
  config.stream = stream;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  void* arguments[] = {&c};
  const void* const kernel = find_moe(p.dtype);
  return kernel == nullptr ? ARF_ERR_DTYPE : check(cudaLaunchKernelExC(&config, kernel, arguments));
}

}  // namespace arf
