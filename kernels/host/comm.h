// One rank of a communicator.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "call.h"
#include "host/choices.h"
#include "host/nccl.h"

namespace arf {
// Host memory that CUDA knows.
struct HostMapping {
  char* at = nullptr;
  uint64_t bytes = 0;
};
}  // namespace arf

struct arf_comm {
  int rank = 0, world = 0, device = 0;
  int ranks_on_device = 1;  // they share its multiprocessors
  int multiprocessors = 0, major = 0;
  arf_config config{};
  arf::Layout layout{};
  char* region[ARF_MAX_WORLD] = {};  // own one, and the peers' once connected
  bool opened[ARF_MAX_WORLD] = {};   // device memory of another process
  arf::HostMapping
      mapping[ARF_MAX_WORLD];  // host transport: own region, and those of other processes
  int file = -1;               // host transport: the own region's memfd
  char* local = nullptr;       // own words, in the device
  bool connected = false;
  arf::HostWords* host = nullptr;  // as the host sees it
  arf::HostWords* host_on_device = nullptr;
  // Clusters of a kernel that run at a time: (kernel, threads, cluster).
  std::map<std::tuple<const void*, int, int>, int> resident;
  std::vector<arf::Choice> choices;  // of this machine, if it has any
  std::string choices_file;          // where they came from
  uint64_t choices_print = 0;        // tells one text from another; 0: none
  arf::NcclApi nccl;
  void* nccl_comm = nullptr;
  bool alone = true;  // no other rank is in this process
  // Test builds.
  uint32_t faults = 0, delay_ns[3] = {}, delayed_warp = ~0u;
};

namespace arf {

// Remembers a failed CUDA call for arf_last_cuda_error(); ARF_OK if it did not fail.
int check(cudaError_t error);

// Loads the table of choices of this machine, if there is one that names these devices.
void load_choices(arf_comm& comm, int count, const int* devices);

// Makes a device current and the one before current again.
class OnDevice {
 public:
  explicit OnDevice(int device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

}  // namespace arf
