// What machine code takes, for kernels of a cubin.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ungate::prove {

struct CubinKernel {
  std::string name;                // mangled
  std::uint64_t code_bytes = 0;    // of its .text section
  std::uint64_t code_hash = 0;     // of them
  std::uint32_t registers = 0;     // a thread
  std::uint64_t shared_bytes = 0;  // static, without what the system keeps
  bool empty = false;              // it returns before it did anything
};

// The kernels of a cubin, by name. `where` is for messages; `malformed` if it is none.
Result<std::vector<CubinKernel>> read_cubin(std::string_view bytes, const std::string& where);

}  // namespace ungate::prove
