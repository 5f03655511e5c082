#include "verify/nccl_api.h"

#include <dlfcn.h>

namespace arf::verify {
namespace {

constexpr int kBfloat16 = 9, kSum = 0,
              kSymmetric = 1;  // ncclBfloat16, ncclSum, NCCL_WIN_COLL_SYMMETRIC

template <class F>
bool load(void* library, const char* name, F& f) {
  f = reinterpret_cast<F>(dlsym(library, name));
  return f != nullptr;
}

}  // namespace

bool Nccl::open(const std::string& library, const std::vector<int>& devices, std::string& why) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    why = dlerror();
    return false;
  }
  if (!load(handle, "ncclCommInitAll", init_all_) || !load(handle, "ncclCommDestroy", destroy_) ||
      !load(handle, "ncclGroupStart", group_start_) || !load(handle, "ncclGroupEnd", group_end_) ||
      !load(handle, "ncclAllReduce", all_reduce_) ||
      !load(handle, "ncclGetVersion", get_version_)) {
    why = "not an NCCL library";
    return false;
  }
  // Since NCCL 2.27.
  (void)load(handle, "ncclMemAlloc", mem_alloc_);
  (void)load(handle, "ncclCommWindowRegister", register_);
  (void)get_version_(&version_);
  devices_ = devices;
  comms_.assign(devices.size(), nullptr);
  if (init_all_(comms_.data(), static_cast<int>(devices.size()), devices.data()) != 0) {
    why = "ncclCommInitAll failed";
    comms_.clear();
    return false;
  }
  return true;
}

Nccl::~Nccl() {
  for (Comm c : comms_) (void)destroy_(c);
}

std::vector<void*> Nccl::symmetric(size_t bytes) {
  if (!has_windows()) return {};
  std::vector<void*> memory(devices_.size()), window(devices_.size());
  for (size_t r = 0; r < devices_.size(); r++) {
    (void)cudaSetDevice(devices_[r]);
    if (mem_alloc_(&memory[r], bytes) != 0) return {};
  }
  bool good = group_start_() == 0;
  for (size_t r = 0; r < devices_.size(); r++) {
    (void)cudaSetDevice(devices_[r]);
    good = register_(comms_[r], memory[r], bytes, &window[r], kSymmetric) == 0 && good;
  }
  return group_end_() == 0 && good ? memory : std::vector<void*>{};
}

bool Nccl::all_reduce(const std::vector<void*>& in, const std::vector<void*>& out, size_t count,
                      const std::vector<cudaStream_t>& streams) {
  bool good = group_start_() == 0;
  for (size_t r = 0; r < comms_.size(); r++)
    good = all_reduce_(in[r], out[r], count, kBfloat16, kSum, comms_[r], streams[r]) == 0 && good;
  return group_end_() == 0 && good;
}

}  // namespace arf::verify
