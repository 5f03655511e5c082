// The files of an environment that an audit may read.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ungate::audit {

enum class FileKind : std::uint8_t { python, cuda, library, other };

struct FoundFile {
  std::string path;        // relative to the root, with '/'
  std::uint32_t root = 0;  // index of the root it was found under
  FileKind kind = FileKind::other;
};

// Something inside a tree that could not be looked at; it is listed and stops nothing.
struct Unread {
  std::string path;
  std::string why;
};

struct Walk {
  std::vector<FoundFile> files;  // ordered by root, then path
  std::vector<Unread> unread;
  std::size_t seen = 0;          // files of any kind
};

// Which kind a file name is of: *.py is Python, sources and headers of C, C++ and CUDA are cuda, shared
// objects and other files of machine code are library.
FileKind kind_of(std::string_view name);

// Whether one of these globs (fnmatch) fits a relative path.
bool is_excluded(const std::vector<std::string>& globs, const std::string& path);

// Walks the roots with several threads. Folders are entered once, however often links lead to them;
// caches (`__pycache__`) and version control are left out. `globs` (fnmatch on the relative path) are left
// out too. Stops early, with what it has, when `cancelled` turns true.
Walk walk(const std::vector<std::string>& roots, const std::vector<std::string>& globs, unsigned threads,
          const std::atomic<bool>& cancelled);

// A number that changes when a file below the roots is written, moved, added or taken away: of the paths,
// sizes, inodes and times of all files that walk() sees, of whatever kind. Nothing is opened. Also of
// folders that cannot be read.
std::uint64_t fingerprint(const std::vector<std::string>& roots, unsigned threads,
                          const std::atomic<bool>& cancelled);

}  // namespace ungate::audit
