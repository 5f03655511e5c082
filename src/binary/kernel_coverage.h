// What a device meets of each kernel of a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "binary/coverage.h"
#include "binary/kernels.h"

namespace ungate::binary {

enum class Use : std::uint8_t {
  none,   // no code object that loads has it: "no kernel image", "invalid device function"
  trap,   // it is there and stops the program
  empty,  // it is there and does nothing, while it has a body elsewhere
  jit,    // the driver compiles it from PTX
  code    // machine code
};
std::string_view name_of(Use use);  // "none", "trap", "empty", "jit", "code"

struct KernelUse {
  Use use = Use::none;
  std::uint32_t image =
      UINT32_MAX;  // index into Kernels::images of what is used; none: of any other
};

// One for each of Kernels::names, in their order. A kernel that several units have counts where it
// fares best. Kernels in a device linker's input are left out as far as they do not count: those
// that have no other place are `none`.
std::vector<KernelUse> kernel_uses(const Listing& listing, const Kernels& kernels,
                                   arch::Device device);

struct KernelCounts {
  std::size_t names = 0, code = 0, jit = 0, empty = 0, trap = 0, none = 0;
};
KernelCounts count(const std::vector<KernelUse>& uses);

// The kernels that have code built for one target, and how many of them the device can use by
// machine code: "412 kernels for sm_100f, 0 of them for sm_120".
struct BuiltCounts {
  Built built;
  std::size_t names = 0;
  std::size_t code = 0, jit = 0;  // of these, on the device
};
std::vector<BuiltCounts> count_by_target(const Listing& listing, const Kernels& kernels,
                                         const std::vector<KernelUse>& uses);

// The state of a file by its kernels: `covered` only if each has machine code that does something.
State state_of(const KernelCounts& counts);
// By its kernels where they are known and there are any, else by its code objects.
State state_of(const Listing& listing, const std::optional<Kernels>& kernels, arch::Device device);

}  // namespace ungate::binary
