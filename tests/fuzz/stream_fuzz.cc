// Files that pass by once: whatever is listed must be what a listing of the whole file says.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "binary/stream.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ungate;
  if (size == 0) return 0;
  std::size_t step = data[0] % 64 + 1;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  binary::StreamLister lister("x", 0);
  for (std::size_t at = 0; at < bytes.size(); at += step) lister.feed(bytes.substr(at, step));
  auto passed = lister.finish();
  if (!passed) return 0;
  auto listed = binary::list(binary::Memory("x", bytes));
  if (!listed || listed->objects.size() != passed->objects.size() ||
      listed->units.size() != passed->units.size()) {
    std::abort();
  }
  return 0;
}
