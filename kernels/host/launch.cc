// Checks a call, chooses how to run it and launches it.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <initializer_list>

#include "host/comm.h"
#include "host/layout.h"
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

constexpr int kMaxSegmentsOfRow = 128;

// Threads, blocks and rows in flight of a launch.
struct Shape {
  int algorithm = 0, cluster = 1, packs = 1, threads = 0, units = 0;
  const void* kernel = nullptr;
};

bool aligned(const void* p) { return (reinterpret_cast<uintptr_t>(p) & 15) == 0; }

bool overlap(const void* a, size_t a_bytes, const void* b, size_t b_bytes) {
  const auto x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
  return a != nullptr && b != nullptr && x < y + b_bytes && y < x + a_bytes;
}

int check_params(const arf_comm& comm, const arf_params& p) {
  if (p.dtype < ARF_BF16 || p.dtype > ARF_FP32) return ARF_ERR_DTYPE;
  if (p.pattern != ARF_ALLREDUCE && p.pattern != ARF_RESIDUAL_RMSNORM) return ARF_ERR_PATTERN;
  if (p.tokens <= 0 || p.hidden <= 0 || p.tokens > comm.config.max_tokens) return ARF_ERR_SIZE;
  const int size = element_size(p.dtype);
  const auto row = static_cast<size_t>(p.hidden) * size;
  if (row > size_t{comm.layout.stride} * 16) return ARF_ERR_SIZE;
  if (row % 16 != 0) return ARF_ERR_HIDDEN;
  const size_t bytes = static_cast<size_t>(p.tokens) * row;
  const bool norm = p.pattern != ARF_ALLREDUCE;
  if (p.in == nullptr) return ARF_ERR_ARGUMENT;
  if (norm ? !(p.residual_in && p.gamma && p.residual_out && p.norm_out) : !p.out) return ARF_ERR_ARGUMENT;
  for (const void* t : std::initializer_list<const void*>{p.in, p.residual_in, p.gamma, p.out, p.residual_out, p.norm_out})
    if (!aligned(t)) return ARF_ERR_ALIGNMENT;
  if (!norm) return p.out != p.in && overlap(p.in, bytes, p.out, bytes) ? ARF_ERR_ALIAS : ARF_OK;
  const bool clash = (p.norm_out != p.in && overlap(p.norm_out, bytes, p.in, bytes)) ||
                     (p.residual_out != p.residual_in && overlap(p.residual_out, bytes, p.residual_in, bytes)) ||
                     overlap(p.norm_out, bytes, p.residual_in, bytes) || overlap(p.residual_out, bytes, p.in, bytes) ||
                     overlap(p.norm_out, bytes, p.residual_out, bytes) || overlap(p.gamma, row, p.norm_out, bytes) ||
                     overlap(p.gamma, row, p.residual_out, bytes);
  return clash ? ARF_ERR_ALIAS : ARF_OK;
}

int choose_algorithm(const arf_comm& comm, const arf_params& p, size_t bytes) {
  if (p.algorithm != ARF_AUTO) return p.algorithm;
  const bool fits = static_cast<uint32_t>(p.tokens) <= comm.layout.oneshot_rows;
  if (comm.world == 2) return fits ? ARF_ONESHOT : ARF_TWOSHOT;
  const size_t limit = comm.world == 4 ? 256 << 10 : 64 << 10;
  return fits && bytes <= limit ? ARF_ONESHOT : ARF_TWOSHOT;
}

// How many clusters of this shape the device holds at a time; 0 if none.
int resident(arf_comm& comm, const Shape& s) {
  const auto key = std::make_tuple(s.kernel, s.threads, s.cluster);
  const auto known = comm.resident.find(key);
  if (known != comm.resident.end()) return known->second;
  int clusters = 0;
  if (s.cluster == 1) {
    int blocks = 0;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, s.kernel, s.threads, 0) == cudaSuccess)
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

int threads_for(int packs_of_row, int cluster, int packs) {
  const int share = cluster * packs;
  return ((packs_of_row + share - 1) / share + 31) / 32 * 32;
}

bool fits(int packs_of_row, int cluster, int packs) {
  const int threads = threads_for(packs_of_row, cluster, packs);
  return threads <= kMaxThreads && cluster * packs * threads / 32 <= kMaxSegmentsOfRow;
}

// The most blocks a row that leave every row its own multiprocessors (few rows: one multiprocessor sends
// too slowly), one pack a thread if it fits. What the caller asked for counts, if it fits.
bool choose_split(const arf_comm& comm, const arf_params& p, int packs_of_row, Shape& s) {
  const int budget = comm.multiprocessors / comm.ranks_on_device;
  bool found = false;
  for (const int cluster : {1, 2, 4, 8})
    for (const int packs : {2, 1}) {
      const bool possible = (cluster == 1 || comm.major >= 9) && fits(packs_of_row, cluster, packs) &&
                            (p.cluster == 0 || p.cluster == cluster) && (p.packs == 0 || p.packs == packs);
      if (!possible) continue;
      const bool wanted = p.cluster != 0 || (cluster <= 4 && p.tokens * cluster <= budget);
      if (found && !wanted && cluster != s.cluster) continue;
      s.cluster = cluster;
      s.packs = packs;
      found = true;
    }
  return found;
}

int choose_shape(arf_comm& comm, const arf_params& p, int packs_of_row, Shape& s) {
  if (!choose_split(comm, p, packs_of_row, s)) return ARF_ERR_LAUNCH;
  s.threads = threads_for(packs_of_row, s.cluster, s.packs);
  s.kernel = find_kernel({p.dtype, s.algorithm, comm.world, s.packs, p.pattern == ARF_ALLREDUCE ? 0 : 1});
  if (s.kernel == nullptr) return ARF_ERR_ALGORITHM;
  int most = resident(comm, s) / comm.ranks_on_device;
  if (p.max_units > 0) most = std::min(most, p.max_units);
  if (most <= 0) return ARF_ERR_LAUNCH;
  s.units = std::min(p.tokens, most);
  return ARF_OK;
}

// What all ranks must agree on in a call.
uint32_t signature(const arf_params& p, int algorithm) {
  uint64_t h = 0x9e3779b97f4a7c15;
  for (const int v : {p.pattern, p.dtype, p.tokens, p.hidden, algorithm}) {
    h = (h ^ static_cast<uint32_t>(v)) * 0xbf58476d1ce4e5b9;
    h ^= h >> 29;
  }
  return static_cast<uint32_t>(h >> 32);
}

Call make_call(const arf_comm& comm, const arf_params& p, const Shape& s, size_t row_bytes) {
  Call c{};
  std::copy(comm.region, comm.region + ARF_MAX_WORLD, c.region);
  c.in = p.in;
  c.residual_in = p.residual_in;
  c.gamma = p.gamma;
  c.out = p.out;
  c.residual_out = p.residual_out;
  c.norm_out = p.norm_out;
  c.quant_out = p.quant_out;
  c.scale_out = p.scale_out;
  c.scale_factor = p.scale_factor;
  c.host = comm.host_on_device;
  c.layout = comm.layout;
  c.timeout_ns = comm.config.timeout_ns;
  c.rank = static_cast<uint32_t>(comm.rank);
  c.tokens = static_cast<uint32_t>(p.tokens);
  c.packs = static_cast<uint32_t>(row_bytes / 16);
  c.pattern = static_cast<uint32_t>(p.pattern);
  c.scale_layout = static_cast<uint32_t>(p.layout);
  c.signature = signature(p, s.algorithm);
  c.inverse_hidden = 1.0f / static_cast<float>(p.hidden);
  c.eps = p.eps;
  c.weight_bias = p.weight_bias;
  c.faults = comm.faults;
  std::copy(comm.delay_ns, comm.delay_ns + 3, c.delay_ns);
  c.delayed_warp = comm.delayed_warp;
  return c;
}

int launch(const arf_comm& comm, const arf_params& p, const Shape& s, Call& call, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(s.units * s.cluster));
  config.blockDim = dim3(static_cast<unsigned>(s.threads));
  config.stream = stream;
  cudaLaunchAttribute attributes[2]{};
  unsigned n = 0;
  if (s.cluster > 1) {
    attributes[n].id = cudaLaunchAttributeClusterDimension;
    attributes[n].val.clusterDim.x = static_cast<unsigned>(s.cluster);
    attributes[n].val.clusterDim.y = attributes[n].val.clusterDim.z = 1;
    n++;
  }
  if ((p.flags & ARF_PDL) != 0 && comm.major >= 9) {
    attributes[n].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[n].val.programmaticStreamSerializationAllowed = 1;
    n++;
  }
  config.attrs = attributes;
  config.numAttrs = n;
  void* arguments[] = {&call};
  return check(cudaLaunchKernelExC(&config, s.kernel, arguments));
}

}  // namespace
}  // namespace arf

extern "C" {

#ifdef ARF_TEST
void arf_test_set(arf_comm* comm, uint32_t faults, const uint32_t* delay_ns, uint32_t delayed_warp) {
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
  if (comm == nullptr || params == nullptr || params->size != sizeof(arf_params) || params->version != ARF_VERSION)
    return ARF_ERR_ARGUMENT;
  if (!comm->connected) return ARF_ERR_STATE;
  if (static_cast<volatile const uint32_t&>(comm->host->failure.complete) != 0) return ARF_ERR_POISONED;
  if (static_cast<volatile const uint32_t&>(comm->host->abort) != 0) return ARF_ERR_ABORTED;
  const arf_params& p = *params;
  if (int e = arf::check_params(*comm, p)) return e;
  const auto row = static_cast<size_t>(p.hidden) * arf::element_size(p.dtype);
  arf::Shape shape;
  shape.algorithm = arf::choose_algorithm(*comm, p, row * static_cast<size_t>(p.tokens));
  if (shape.algorithm != ARF_ONESHOT && shape.algorithm != ARF_TWOSHOT) return ARF_ERR_ALGORITHM;
  if (shape.algorithm == ARF_ONESHOT && static_cast<uint32_t>(p.tokens) > comm->layout.oneshot_rows)
    return ARF_ERR_ALGORITHM;
  const arf::OnDevice on(comm->device);
  if (int e = arf::choose_shape(*comm, p, static_cast<int>(row / 16), shape)) return e;
  arf::Call call = arf::make_call(*comm, p, shape, row);
  return arf::launch(*comm, p, shape, call, stream);
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
      "aborted"};
  const int n = static_cast<int>(sizeof kText / sizeof kText[0]);
  return code >= 0 && code < n ? kText[code] : "unknown error";
}

#ifndef ARF_BUILD
#define ARF_BUILD "unknown"
#endif
const char* arf_build_info(void) { return ARF_BUILD; }

}  // extern "C"
