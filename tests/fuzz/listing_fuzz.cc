// ELF, fatbin, cubin, PTX and static library headers.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "binary/coverage.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ungate;
  binary::Memory memory("x", {reinterpret_cast<const char*>(data), size});
  auto listing = binary::list(memory);
  if (!listing) return 0;
  for (const binary::CodeObject& o : listing->objects) {
    // What a listing promises: objects lie in the file and belong to a unit.
    if (o.unit >= listing->units.size() || o.offset > size || o.stored > size - o.offset)
      std::abort();
  }
  for (unsigned d : arch::known_devices()) binary::coverage_of(*listing, arch::Device(d));
  return 0;
}
