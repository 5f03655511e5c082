#include "host/comm.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "host/layout.h"
#include "host/region.h"
#include "kernel_table.h"

namespace arf {
namespace {

thread_local const char* last_cuda_error = "";

bool valid(const arf_config* c) {
  return c != nullptr && c->size == sizeof(arf_config) && c->version == ARF_VERSION &&
         c->max_tokens > 0 && c->max_hidden > 0 && c->max_tokens <= (1 << 20) &&
         c->max_hidden <= (1 << 16) && c->max_dtype >= ARF_BF16 && c->max_dtype <= ARF_FP32 &&
         c->transport >= ARF_TRANSPORT_AUTO && c->transport <= ARF_TRANSPORT_HOST;
}

bool valid_world(int world) {
  return world == 2 || world == 4 || world == 8;
}

// Loads every kernel that a call may use: a kernel that is loaded while a peer's already waits for
// it can hang both, since loading may wait for the device.
int preload(int world) {
  const auto load = [](const void* kernel) {
    cudaFuncAttributes attributes;
    return kernel == nullptr ? ARF_OK : check(cudaFuncGetAttributes(&attributes, kernel));
  };
  for (const int dtype : {ARF_BF16, ARF_FP16, ARF_FP32})
    if (int e = load(find_moe(dtype))) return e;
  for (const int dtype : {ARF_BF16, ARF_FP16, ARF_FP32})
    for (const int packs : {1, 2})
      for (const int epilogue : {kPlain, kNorm, kQuantised}) {
        if (epilogue != kPlain)
          if (int e = load(find_finish(dtype, packs, epilogue))) return e;
        for (int algorithm = 1; algorithm <= kAlgorithmCount; algorithm++)
          if (int e = load(find_kernel({dtype, algorithm, world, packs, epilogue}))) return e;
      }
  return ARF_OK;
}

int allocate(arf_comm& comm) {
  const OnDevice on(comm.device);
  if (int e = preload(comm.world)) return e;
  cudaDeviceProp properties;
  if (int e = check(cudaGetDeviceProperties(&properties, comm.device))) return e;
  comm.multiprocessors = properties.multiProcessorCount;
  comm.major = properties.major;
  if (int e = check(cudaHostAlloc(reinterpret_cast<void**>(&comm.host), sizeof(HostWords),
                                  cudaHostAllocMapped | cudaHostAllocPortable)))
    return e;
  std::memset(comm.host, 0, sizeof(HostWords));
  if (int e = check(
          cudaHostGetDevicePointer(reinterpret_cast<void**>(&comm.host_on_device), comm.host, 0)))
    return e;
  if (int e = check(cudaMalloc(reinterpret_cast<void**>(&comm.local), comm.layout.local_total)))
    return e;
  if (int e = check(cudaMemset(comm.local, 0, comm.layout.local_total))) return e;
  if (int e = make_region(comm)) return e;
  // Streams that do not wait for the default one may come next.
  return check(cudaStreamSynchronize(nullptr));
}

int make(int rank, int world, int device, const arf_config& config,
         std::unique_ptr<arf_comm>& out) {
  auto comm = std::make_unique<arf_comm>();
  comm->rank = rank;
  comm->world = world;
  comm->device = device;
  comm->config = config;
  comm->layout = make_layout(world, config);
  if (int e = allocate(*comm)) {
    arf_comm_destroy(comm.release());
    return e;
  }
  out = std::move(comm);
  return ARF_OK;
}

constexpr uint32_t kMagic = 0x61726631;  // "arf1"

// All ranks in this process: peer if every device reaches every other.
int choose_transport(int world, const int* devices, arf_config& config) {
  if (config.transport == ARF_TRANSPORT_HOST) return ARF_OK;
  for (int a = 0; a < world; a++)
    for (int b = 0; b < world; b++) {
      const int e = enable_peer(devices[a], devices[b]);
      if (e == ARF_OK) continue;
      if (e != ARF_ERR_PEER || config.transport == ARF_TRANSPORT_PEER) return e;
      config.transport = ARF_TRANSPORT_HOST;
      return ARF_OK;
    }
  config.transport = ARF_TRANSPORT_PEER;
  return ARF_OK;
}

Blob describe(const arf_comm& comm) {
  Blob b{};
  b.magic = kMagic;
  b.version = ARF_VERSION;
  b.rank = comm.rank;
  b.world = comm.world;
  b.device = comm.device;
  b.process = getpid();
  (void)gethostname(b.host, sizeof b.host - 1);
  b.total = comm.layout.total;
  b.choices = comm.choices_print;
  describe_region(comm, b);
  return b;
}

}  // namespace

int check(cudaError_t error) {
  if (error == cudaSuccess) return ARF_OK;
  last_cuda_error = cudaGetErrorString(error);
  (void)cudaGetLastError();
  return ARF_ERR_CUDA;
}

OnDevice::OnDevice(int device) {
  (void)cudaGetDevice(&before_);
  if (before_ != device) (void)cudaSetDevice(device);
}
OnDevice::~OnDevice() {
  (void)cudaSetDevice(before_);
}

}  // namespace arf

using arf::check;

extern "C" {

const char* arf_last_cuda_error(void) {
  return arf::last_cuda_error;
}

void arf_config_init(arf_config* c) {
  *c = arf_config{};
  c->size = sizeof(arf_config);
  c->version = ARF_VERSION;
  c->max_dtype = ARF_BF16;
  c->timeout_ns = 5'000'000'000;
}

int arf_comm_create_local(int world, const int* devices, const arf_config* config,
                          arf_comm** comms) {
  if (devices == nullptr || comms == nullptr || !arf::valid(config)) return ARF_ERR_ARGUMENT;
  if (!arf::valid_world(world)) return ARF_ERR_WORLD;
  arf_config chosen = *config;
  if (int e = arf::choose_transport(world, devices, chosen)) return e;
  std::unique_ptr<arf_comm> made[ARF_MAX_WORLD];
  const auto give_up = [&made](int e) {
    for (auto& comm : made)
      if (comm) arf_comm_destroy(comm.release());
    return e;
  };
  for (int r = 0; r < world; r++)
    if (int e = arf::make(r, world, devices[r], chosen, made[r])) return give_up(e);
  for (int r = 0; r < world; r++) {
    made[r]->ranks_on_device = 0;
    const arf::OnDevice on(devices[r]);
    for (int q = 0; q < world; q++) {
      if (devices[q] == devices[r]) made[r]->ranks_on_device++;
      if (q == r) continue;
      if (int e = arf::map_region(*made[r], q, arf::describe(*made[q]))) return give_up(e);
    }
    made[r]->connected = true;
    made[r]->alone = false;
    arf::load_choices(*made[r], world, devices);
  }
  for (int r = 0; r < world; r++) comms[r] = made[r].release();
  return ARF_OK;
}

int arf_comm_create(int rank, int world, int device, const arf_config* config, arf_comm** comm) {
  if (comm == nullptr || !arf::valid(config)) return ARF_ERR_ARGUMENT;
  if (!arf::valid_world(world) || rank < 0 || rank >= world) return ARF_ERR_WORLD;
  arf_config chosen = *config;
  if (chosen.transport == ARF_TRANSPORT_AUTO)
    chosen.transport = arf::all_devices_are_peers() ? ARF_TRANSPORT_PEER : ARF_TRANSPORT_HOST;
  std::unique_ptr<arf_comm> made;
  if (int e = arf::make(rank, world, device, chosen, made)) return e;
  arf::load_choices(*made, 1, &device);
  *comm = made.release();
  return ARF_OK;
}

int arf_comm_export(arf_comm* comm, void* blob, size_t* length) {
  if (comm == nullptr || length == nullptr) return ARF_ERR_ARGUMENT;
  if (blob == nullptr || *length < sizeof(arf::Blob)) {
    *length = sizeof(arf::Blob);
    return blob == nullptr ? ARF_OK : ARF_ERR_ARGUMENT;
  }
  *length = sizeof(arf::Blob);
  arf::Blob b = arf::describe(*comm);
  const arf::OnDevice on(comm->device);
  if (int e = arf::export_region(*comm, b)) return e;
  std::memcpy(blob, &b, sizeof b);
  return ARF_OK;
}

int arf_comm_import(arf_comm* comm, const void* blobs, size_t stride) {
  if (comm == nullptr || blobs == nullptr || stride < sizeof(arf::Blob)) return ARF_ERR_ARGUMENT;
  if (comm->connected) return ARF_ERR_STATE;
  bool same_choices = true;
  arf::Blob own{};
  (void)gethostname(own.host, sizeof own.host - 1);
  const arf::OnDevice on(comm->device);
  for (int r = 0; r < comm->world; r++) {
    if (r == comm->rank) continue;
    arf::Blob b;
    std::memcpy(&b, static_cast<const char*>(blobs) + static_cast<size_t>(r) * stride, sizeof b);
    if (b.magic != arf::kMagic || b.version != ARF_VERSION || b.rank != r ||
        b.world != comm->world || b.total != comm->layout.total)
      return ARF_ERR_MISMATCH;
    if (std::strcmp(b.host, own.host) != 0) return ARF_ERR_PEER;
    if (b.transport != comm->config.transport) return ARF_ERR_PEER;
    if (int e = arf::map_region(*comm, r, b)) return e;
    same_choices = same_choices && b.choices == comm->choices_print;
  }
  // Ranks must choose alike.
  if (!same_choices) {
    comm->choices.clear();
    comm->choices_file.clear();
  }
  comm->connected = true;
  return ARF_OK;
}

int arf_comm_choices(const arf_comm* comm, char* file, size_t size) {
  if (comm == nullptr || file == nullptr || size == 0) return ARF_ERR_ARGUMENT;
  (void)std::snprintf(file, size, "%s", comm->choices_file.c_str());
  return ARF_OK;
}

int arf_comm_use_nccl(arf_comm* comm, const char* library, void* nccl_comm) {
  if (comm == nullptr || nccl_comm == nullptr) return ARF_ERR_ARGUMENT;
  int ranks = 0, rank = -1;
  arf::NcclApi api;
  if (!api.load(library) || api.count(nccl_comm, &ranks) != 0 ||
      api.user_rank(nccl_comm, &rank) != 0 || ranks != comm->world || rank != comm->rank)
    return ARF_ERR_NCCL;
  comm->nccl = api;
  comm->nccl_comm = nccl_comm;
  return ARF_OK;
}

int arf_comm_status(arf_comm* comm, arf_status* status) {
  if (comm == nullptr || status == nullptr) return ARF_ERR_ARGUMENT;
  const volatile arf::FailureRecord& f = comm->host->failure;
  *status = arf_status{};
  status->size = sizeof(arf_status);
  if (!f.complete) return ARF_OK;
  status->code = static_cast<int>(f.code);
  status->rank = static_cast<int>(f.rank);
  status->peer = static_cast<int>(f.peer);
  status->algorithm = static_cast<int>(f.algorithm);
  status->phase = static_cast<int>(f.phase);
  status->row = f.row;
  status->sequence = f.sequence;
  return ARF_OK;
}

int arf_comm_abort(arf_comm* comm) {
  if (comm == nullptr) return ARF_ERR_ARGUMENT;
  *static_cast<volatile uint32_t*>(&comm->host->abort) = 1;
  return ARF_OK;
}

int arf_comm_destroy(arf_comm* comm) {
  if (comm == nullptr) return ARF_OK;
  {
    const arf::OnDevice on(comm->device);
    (void)cudaDeviceSynchronize();
    arf::release_regions(*comm);
    if (comm->local != nullptr) (void)cudaFree(comm->local);
    if (comm->host != nullptr) (void)cudaFreeHost(comm->host);
    (void)cudaGetLastError();
  }
  delete comm;
  return ARF_OK;
}

}  // extern "C"
