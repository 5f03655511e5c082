// Payloads, symbol tables, attributes and machine code.
#include <cstddef>
#include <cstdint>

#include "binary/kernel_coverage.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ungate;
  binary::Memory memory("x", {reinterpret_cast<const char*>(data), size});
  auto listing = binary::list(memory);
  if (!listing) return 0;
  auto kernels = binary::read_kernels(memory, *listing, 1);
  if (!kernels) return 0;
  for (unsigned d : arch::known_devices()) {
    auto uses = binary::kernel_uses(*listing, *kernels, arch::Device(d));
    binary::count_by_target(*listing, *kernels, uses);
  }
  for (const std::string& name : kernels->names) binary::demangled(name);
  return 0;
}
