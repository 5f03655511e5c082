#include "cli/gpu.h"

#include <dlfcn.h>
#include <fmt/core.h>

namespace ungate::cli {
namespace {

constexpr const char* kAdvice = "name the device instead: --target sm_120";
// CUdevice_attribute.
constexpr int kMajor = 75, kMinor = 76;

// The few functions of the driver that are needed, by their C interface.
struct Library {
  int (*init)(unsigned) = nullptr;
  int (*driver_version)(int*) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device)(int*, int) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*attribute)(int*, int, int) = nullptr;

  bool load(void* handle) {
    auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
      return function != nullptr;
    };
    return find(init, "cuInit") && find(driver_version, "cuDriverGetVersion") &&
           find(device_count, "cuDeviceGetCount") && find(device, "cuDeviceGet") &&
           find(device_name, "cuDeviceGetName") && find(attribute, "cuDeviceGetAttribute");
  }
};

std::unexpected<Error> missing(std::string what) {
  return fail(ErrorCode::tool_missing, std::move(what), {}, kAdvice);
}

}  // namespace

Result<Driver> ask_driver() {
  void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return missing("no GPU was found: there is no NVIDIA driver (libcuda.so.1)");
  Library cuda;
  if (!cuda.load(handle))
    return missing("no GPU was found: libcuda.so.1 is not the NVIDIA driver's");
  if (int error = cuda.init(0); error != 0) {
    return missing(fmt::format("no GPU was found: the NVIDIA driver answers with error {}", error));
  }
  Driver driver;
  int count = 0;
  cuda.driver_version(&driver.version);
  cuda.device_count(&count);
  for (int i = 0; i < count; ++i) {
    int device = 0;
    char name[256] = "";
    Gpu gpu;
    if (cuda.device(&device, i) != 0 || cuda.device_name(name, sizeof name - 1, device) != 0 ||
        cuda.attribute(&gpu.major, kMajor, device) != 0 ||
        cuda.attribute(&gpu.minor, kMinor, device) != 0) {
      continue;
    }
    gpu.name = name;
    driver.gpus.push_back(std::move(gpu));
  }
  if (driver.gpus.empty()) return missing("no GPU was found: the NVIDIA driver lists none");
  return driver;
}

}  // namespace ungate::cli
