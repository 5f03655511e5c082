// The memory that a rank's peers write into: in its device, or in host memory that all devices
// reach.
//
// Host memory serves where devices cannot reach each other. The kernels are the same: a word in an
// inbox speaks for itself, wherever it lies. It comes from a memfd, so that other processes can map
// it and nothing is left behind when a process dies.
#pragma once

#include <sys/types.h>

#include "host/comm.h"

namespace arf {

// What a rank tells the others about itself.
struct Blob {
  uint32_t magic, version;
  int32_t rank, world, device, transport;
  int64_t process;
  char host[64];
  uint64_t total;
  uint64_t choices;  // fingerprint of the table of choices
  uint64_t address;  // for ranks of the same process
  int32_t file;      // host transport
  cudaIpcMemHandle_t handle;
};

// Makes this rank's own region of comm.layout.total bytes, inboxes empty and greetings at zero.
int make_region(arf_comm& comm);

// How ranks of this process reach the region.
void describe_region(const arf_comm& comm, Blob& blob);

// Completes the blob with how those of other processes do.
int export_region(const arf_comm& comm, Blob& blob);

// Maps the region of rank `peer`, of this or another process, for comm's device.
int map_region(arf_comm& comm, int peer, const Blob& blob);

// Unmaps the peers' regions and frees the own one.
void release_regions(arf_comm& comm);

// Whether `from` can reach `to`'s memory; enables it.
int enable_peer(int from, int to);

// Whether all devices that this process sees reach each other.
bool all_devices_are_peers();

}  // namespace arf
