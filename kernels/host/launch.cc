// Launches a call.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "host/check.h"
#include "host/choose.h"
#include "host/comm.h"
#include "host/grid.h"
#include "host/test_hooks.h"
#include "kernel_table.h"

namespace arf {

const void* find_kernel_bf16(const KernelKey& key);
const void* find_kernel_fp16(const KernelKey& key);
const void* find_kernel_fp32(const KernelKey& key);

const void* find_kernel(const KernelKey& key) {
  switch (key.dtype) {
    case ARF_BF16:
      return find_kernel_bf16(key);
#ifndef ARF_FEW_KERNELS
    case ARF_FP16:
      return find_kernel_fp16(key);
    case ARF_FP32:
      return find_kernel_fp32(key);
#endif
    default:
      return nullptr;
  }
}

namespace {

// What all ranks must agree on in a call.
uint32_t signature(const arf_params& p, int algorithm) {
  uint64_t h = 0x9e3779b97f4a7c15;
  for (const int v : {p.pattern, p.dtype, p.tokens, p.hidden, algorithm}) {
    h = (h ^ static_cast<uint32_t>(v)) * 0xbf58476d1ce4e5b9;
    h ^= h >> 29;
  }
  return static_cast<uint32_t>(h >> 32);
}

Call make_call(const arf_comm& comm, const arf_params& p, const Shape& s) {
  Call c = call_of(p);
  std::copy(comm.region, comm.region + ARF_MAX_WORLD, c.region);
  c.local = comm.local;
  c.host = comm.host_on_device;
  c.layout = comm.layout;
  c.timeout_ns = comm.config.timeout_ns;
  c.rank = static_cast<uint32_t>(comm.rank);
  c.pause_ns = static_cast<uint32_t>(s.pause_ns);
  c.senders = static_cast<uint32_t>(s.senders);
  c.signature = signature(p, s.algorithm);
  c.faults = comm.faults;
  std::copy(comm.delay_ns, comm.delay_ns + 3, c.delay_ns);
  c.delayed_warp = comm.delayed_warp;
  return c;
}

}  // namespace
}  // namespace arf

extern "C" {

#ifdef ARF_TEST
void arf_test_set(arf_comm* comm, uint32_t faults, const uint32_t* delay_ns,
                  uint32_t delayed_warp) {
  comm->faults = faults;
  for (int i = 0; i < 3; i++) comm->delay_ns[i] = delay_ns[i];
  comm->delayed_warp = delayed_warp;
}
#endif

void arf_params_init(arf_params* p) {
  *p = arf_params{};
  p->size = sizeof(arf_params);
  p->version = ARF_VERSION;
  p->eps = 1e-6f;
}

int arf_launch(arf_comm* comm, const arf_params* params, arf_stream stream) {
  if (comm == nullptr || params == nullptr || params->size != sizeof(arf_params) ||
      params->version != ARF_VERSION)
    return ARF_ERR_ARGUMENT;
  if (!comm->connected) return ARF_ERR_STATE;
  if (static_cast<volatile const uint32_t&>(comm->host->failure.complete) != 0)
    return ARF_ERR_POISONED;
  if (static_cast<volatile const uint32_t&>(comm->host->abort) != 0) return ARF_ERR_ABORTED;
  const arf_params& p = *params;
  const arf::Limits most{comm->config.max_tokens, static_cast<int>(comm->layout.stride)};
  if (int e = arf::check_params(most, p)) return e;
  arf::Shape shape;
  const arf::OnDevice on(comm->device);
  if (int e = arf::choose_shape(*comm, p, arf::packs_of_row(p), shape)) return e;
  arf::Call call = arf::make_call(*comm, p, shape);
  const arf::Grid grid{shape.kernel, shape.units, shape.cluster, shape.threads};
  return arf::launch(grid, (p.flags & ARF_PDL) != 0 && comm->major >= 9, call, stream);
}

const char* arf_strerror(int code) {
  static const char* const kText[] = {
      "no error",
      "a null pointer, or a structure of the wrong size or version",
      "the number of ranks is not 2, 4 or 8",
      "unknown data type",
      "unknown pattern",
      "more tokens or a wider row than the communicator was made for",
      "the hidden size is not a multiple of 16 bytes",
      "a tensor is not aligned to 16 bytes",
      "an output overlaps another tensor",
      "an earlier call failed, the communicator can no longer be used",
      "the communicator is not connected, or is connected already",
      "no peer access between two devices",
      "the kernel does not fit the device at this shape",
      "the algorithm cannot run this call",
      "a CUDA call failed",
      "a peer did not arrive in time",
      "the ranks made different calls",
      "aborted",
      "no memory for the inboxes"};
  const int n = static_cast<int>(sizeof kText / sizeof kText[0]);
  return code >= 0 && code < n ? kText[code] : "unknown error";
}

#ifndef ARF_BUILD
#define ARF_BUILD "unknown"
#endif
const char* arf_build_info(void) {
  return ARF_BUILD;
}

}  // extern "C"
