// Zip and tar files, and what names and sizes they claim.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "package/archive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ungate;
  static const int file = memfd_create("archive", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    return 0;
  package::ArchiveLimits limits;
  limits.bytes = 64 << 20;
  limits.free = 1 << 20;
  std::vector<package::Note> notes;
  auto visit = [&](package::ArchiveEntry& entry) -> Status {
    if (entry.path().empty() || entry.path().starts_with('/') ||
        ("/" + entry.path() + "/").find("/../") != std::string::npos) {
      std::abort();
    }
    for (;;) {
      auto bytes = entry.next();
      if (!bytes) return std::unexpected(bytes.error());
      if (bytes->empty()) return {};
    }
  };
  (void)package::read_archive(path, visit, notes, limits);
  return 0;
}
