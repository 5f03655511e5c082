#include "host/region.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace arf {
namespace {

// Maps a region's file and makes it known to CUDA.
int map_file(int file, uint64_t bytes, HostMapping& out) {
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) return ARF_ERR_PEER;
  if (int e =
          check(cudaHostRegister(at, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped))) {
    (void)munmap(at, bytes);
    return e;
  }
  out = {static_cast<char*>(at), bytes};
  return ARF_OK;
}

void unmap_file(HostMapping& m) {
  if (m.at == nullptr) return;
  (void)cudaHostUnregister(m.at);
  (void)munmap(m.at, m.bytes);
  m = {};
}

int device_address(char* host, char*& out) {
  return check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&out), host, 0));
}

int make_host_region(arf_comm& comm) {
  comm.file = memfd_create("arf", MFD_CLOEXEC);
  if (comm.file < 0 || ftruncate(comm.file, static_cast<off_t>(comm.layout.total)) != 0)
    return ARF_ERR_MEMORY;
  HostMapping& own = comm.mapping[comm.rank];
  if (int e = map_file(comm.file, comm.layout.total, own)) return e;
  std::memset(own.at, 0xff, comm.layout.greetings);
  return device_address(own.at, comm.region[comm.rank]);
}

int make_device_region(arf_comm& comm) {
  char*& region = comm.region[comm.rank];
  if (int e = check(cudaMalloc(reinterpret_cast<void**>(&region), comm.layout.total))) return e;
  if (int e = check(cudaMemset(region, 0xff, comm.layout.greetings))) return e;
  return check(
      cudaMemset(region + comm.layout.greetings, 0, comm.layout.total - comm.layout.greetings));
}

}  // namespace

int make_region(arf_comm& comm) {
  return comm.config.transport == ARF_TRANSPORT_HOST ? make_host_region(comm)
                                                     : make_device_region(comm);
}

void describe_region(const arf_comm& comm, Blob& b) {
  const bool host = comm.config.transport == ARF_TRANSPORT_HOST;
  b.transport = comm.config.transport;
  b.file = comm.file;
  b.address =
      reinterpret_cast<uint64_t>(host ? comm.mapping[comm.rank].at : comm.region[comm.rank]);
}

int export_region(const arf_comm& comm, Blob& b) {
  if (comm.config.transport == ARF_TRANSPORT_HOST) return ARF_OK;
  return check(cudaIpcGetMemHandle(&b.handle, comm.region[comm.rank]));
}

int map_region(arf_comm& comm, int peer, const Blob& b) {
  const bool here = b.process == getpid();
  if (comm.config.transport == ARF_TRANSPORT_HOST) {
    if (here) return device_address(reinterpret_cast<char*>(b.address), comm.region[peer]);
    const std::string path = "/proc/" + std::to_string(b.process) + "/fd/" + std::to_string(b.file);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return ARF_ERR_PEER;
    const int e = map_file(file, b.total, comm.mapping[peer]);
    (void)close(file);
    return e ? e : device_address(comm.mapping[peer].at, comm.region[peer]);
  }
  if (here) {
    if (int e = enable_peer(comm.device, b.device)) return e;
    comm.region[peer] = reinterpret_cast<char*>(b.address);
    return ARF_OK;
  }
  void* mapped = nullptr;
  if (int e = check(cudaIpcOpenMemHandle(&mapped, b.handle, cudaIpcMemLazyEnablePeerAccess)))
    return e;
  comm.region[peer] = static_cast<char*>(mapped);
  comm.opened[peer] = true;
  return ARF_OK;
}

void release_regions(arf_comm& comm) {
  for (int r = 0; r < comm.world; r++) {
    if (comm.opened[r]) (void)cudaIpcCloseMemHandle(comm.region[r]);
    unmap_file(comm.mapping[r]);
  }
  if (comm.config.transport != ARF_TRANSPORT_HOST && comm.region[comm.rank] != nullptr)
    (void)cudaFree(comm.region[comm.rank]);
  if (comm.file >= 0) (void)close(comm.file);
}

int enable_peer(int from, int to) {
  if (from == to) return ARF_OK;
  int can = 0;
  if (int e = check(cudaDeviceCanAccessPeer(&can, from, to))) return e;
  if (!can) return ARF_ERR_PEER;
  const OnDevice on(from);
  const cudaError_t error = cudaDeviceEnablePeerAccess(to, 0);
  if (error == cudaErrorPeerAccessAlreadyEnabled) {
    (void)cudaGetLastError();
    return ARF_OK;
  }
  return check(error);
}

bool all_devices_are_peers() {
  int devices = 0, can = 1;
  if (check(cudaGetDeviceCount(&devices))) return false;
  for (int a = 0; a < devices; a++)
    for (int b = 0; b < devices; b++)
      if (a != b && (check(cudaDeviceCanAccessPeer(&can, a, b)) || !can)) return false;
  return true;
}

}  // namespace arf
