// The GPUs of this machine, asked of the driver (libcuda, opened when first needed).
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace ungate::cli {

struct Gpu {
  std::string name;  // "NVIDIA RTX PRO 6000 Blackwell Server Edition"
  int major = 0, minor = 0;
};

struct Driver {
  std::vector<Gpu> gpus;  // in the driver's order, CUDA_VISIBLE_DEVICES applied
  int version = 0;        // the CUDA version that the driver supports: 13000 is 13.0
};

// `tool_missing` says what is not there: the library, a driver that answers, a GPU.
Result<Driver> ask_driver();

}  // namespace ungate::cli
