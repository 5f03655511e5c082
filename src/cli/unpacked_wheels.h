// Wheels that are not installed, as a folder that a compiler can read.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/error.h"

namespace ungate::cli {

// Writes the files of the wheels below `folder` as `pip install --target` would, less shared objects,
// which no compiler reads. Where two wheels have a file of one name, the later one stays.
Status unpack_wheels(const std::vector<std::string>& wheels, const std::string& folder,
                     const std::atomic<bool>& cancelled);

}  // namespace ungate::cli
