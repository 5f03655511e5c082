// Launches a call.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "host/check.h"
#include "host/choose.h"
#include "host/comm.h"
#include "host/grid.h"
#include "host/moe.h"
#include "host/test_hooks.h"
#include "kernel_table.h"
#include "pattern.h"

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
  const uint64_t of_source = uint64_t{c.layout.oneshot_rows} * c.layout.stride;
  c.half = static_cast<uint64_t>(comm.world) * of_source;
  for (int i = 0; i < comm.world; i++) {
    const int peer = comm.rank ^ i;
    const auto inbox = [&](int of, int source) {
      return comm.region[of] + c.layout.oneshot + static_cast<uint64_t>(source) * of_source * 16;
    };
    c.to[i] = inbox(peer, comm.rank);
    c.from[i] = inbox(comm.rank, peer);
  }
  c.timeout_ns = comm.config.timeout_ns;
  c.rank = static_cast<uint32_t>(comm.rank);
  c.pause_ns = static_cast<uint32_t>(s.pause_ns);
  c.signature = signature(p, s.algorithm);
  c.faults = comm.faults;
  std::copy(comm.delay_ns, comm.delay_ns + 3, c.delay_ns);
  c.delayed_warp = comm.delayed_warp;
  return c;
}

// Whether the call can be made, and how.
int check_call(arf_comm* comm, const arf_params* params, bool nccl, Shape& shape) {
  if (comm == nullptr || params == nullptr || params->size != sizeof(arf_params) ||
      params->version != ARF_VERSION)
    return ARF_ERR_ARGUMENT;
  if (!comm->connected) return ARF_ERR_STATE;
  if (static_cast<volatile const uint32_t&>(comm->host->failure.complete) != 0)
    return ARF_ERR_POISONED;
  const Limits most{comm->config.max_tokens, static_cast<int>(comm->layout.stride)};
  if (int e = check_params(most, *params)) return e;
  const OnDevice on(comm->device);
  return choose_shape(*comm, *params, packs_of_row(*params), nccl && comm->nccl_comm != nullptr,
                      shape);
}

void* scratch_of(const arf_comm& comm) {
  return comm.local + comm.layout.scratch;
}

// Where experts are summed first, the sum over the ranks begins with what they gave.
int launch_experts(const arf_comm& comm, arf_params& p, cudaStream_t stream) {
  if (!is_moe(p.pattern)) return ARF_OK;
  const bool early = (p.flags & ARF_PDL) != 0 && comm.major >= 9;
  if (int e = launch_moe_input(p, scratch_of(comm), early, stream)) return e;
  p.in = scratch_of(comm);
  return ARF_OK;
}

int launch_call(const arf_comm& comm, arf_params p, const Shape& shape, cudaStream_t stream) {
  const OnDevice on(comm.device);
  if (int e = launch_experts(comm, p, stream)) return e;
  Call call = make_call(comm, p, shape);
  const Grid grid{shape.kernel, shape.units, shape.cluster, shape.threads};
  return launch(grid, (p.flags & ARF_PDL) != 0 && comm.major >= 9, call, stream);
}

// Where NCCL leaves its sum: the output of a plain allreduce, else scratch memory.
int sum_by_nccl(const arf_comm& comm, arf_params p, cudaStream_t stream) {
  const OnDevice on(comm.device);
  if (int e = launch_experts(comm, p, stream)) return e;
  void* const sum = p.pattern == ARF_ALLREDUCE ? p.out : scratch_of(comm);
  const auto elements = static_cast<size_t>(p.tokens) * static_cast<size_t>(p.hidden);
  return comm.nccl.sum(p.in, sum, elements, p.dtype, comm.nccl_comm, stream);
}

int finish_sum(const arf_comm& comm, arf_params p, cudaStream_t stream) {
  if (p.pattern == ARF_ALLREDUCE) return ARF_OK;
  const OnDevice on(comm.device);
  p.in = scratch_of(comm);
  if (is_moe(p.pattern)) p.pattern = ARF_RESIDUAL_RMSNORM;
  return arf_finish(&p, stream);
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
  p->routed_scale = 1;
}

int arf_launch(arf_comm* comm, const arf_params* params, arf_stream stream) {
  arf::Shape shape;
  if (int e = arf::check_call(comm, params, comm != nullptr && comm->alone, shape)) return e;
  if (shape.algorithm == ARF_NCCL) {
    if (int e = arf::sum_by_nccl(*comm, *params, stream)) return e;
    return arf::finish_sum(*comm, *params, stream);
  }
  return arf::launch_call(*comm, *params, shape, stream);
}

int arf_launch_all(int world, arf_comm* const* comms, const arf_params* params,
                   const arf_stream* streams) {
  if (comms == nullptr || params == nullptr || streams == nullptr) return ARF_ERR_ARGUMENT;
  if (world < 1 || world > ARF_MAX_WORLD) return ARF_ERR_WORLD;
  arf::Shape shapes[ARF_MAX_WORLD];
  for (int r = 0; r < world; r++)
    if (int e = arf::check_call(comms[r], params + r, true, shapes[r])) return e;
  for (int r = 1; r < world; r++)
    if (shapes[r].algorithm != shapes[0].algorithm) return ARF_ERR_MISMATCH;
  int failed = ARF_OK;
  const auto all = [&](auto step) {
    for (int r = 0; r < world && failed == ARF_OK; r++) failed = step(*comms[r], params[r], r);
  };
  if (shapes[0].algorithm != ARF_NCCL) {
    all([&](arf_comm& c, const arf_params& p, int r) {
      return arf::launch_call(c, p, shapes[r], streams[r]);
    });
    return failed;
  }
  const arf::NcclApi& nccl = comms[0]->nccl;
  if (nccl.group_start() != 0) return ARF_ERR_NCCL;
  all([&](arf_comm& c, const arf_params& p, int r) { return arf::sum_by_nccl(c, p, streams[r]); });
  if (nccl.group_end() != 0) return ARF_ERR_NCCL;
  all([&](arf_comm& c, const arf_params& p, int r) { return arf::finish_sum(c, p, streams[r]); });
  return failed;
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
      "no memory for the inboxes",
      "NCCL is not there, fails, or has other ranks"};
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
