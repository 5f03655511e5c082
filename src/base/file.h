// Reading whole files and writing new ones, with Errors that name the path.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace ungate {

// What identifies the bytes of a file without reading them.
struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t mtime_ns = 0, ctime_ns = 0;
  bool operator==(const FileStamp&) const = default;
};

struct FileText {
  std::string bytes;
  FileStamp stamp;
};

// Reads a regular file. Anything else (folder, device, pipe) is `unreadable`; so is a file larger
// than `limit` bytes.
Result<FileText> read_file(const std::string& path, std::uint64_t limit = UINT64_MAX);

// As read_file, but gives nothing back when there is no such file.
Result<FileText> read_file_or_empty(const std::string& path);

// Turns errno after a failed operation on `path` into an Error: no_space, read_only, ... ; `doing` is
// a gerund phrase ("writing").
Error os_error(std::string_view doing, const std::string& path, int number);

}  // namespace ungate
