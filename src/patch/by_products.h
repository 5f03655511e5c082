// What was made from files before they were edited and would hide the edit: .pyc files and JIT
// caches.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "patch/caches.h"
#include "patch/progress.h"

namespace ungate::patch {

// A file below a site.
struct FileRef {
  std::string site, path;
  bool operator==(const FileRef&) const = default;
};

struct ByProducts {
  std::vector<std::string> bytecode;   // .pyc files, absolute
  std::vector<CacheFolder> caches;
  bool cleared = false;                // false: they are listed only
  std::vector<std::string> problems;   // what could not be cleared, and why

  bool empty() const { return bytecode.empty() && caches.empty(); }
};

// The .pyc files of a Python source, for every interpreter and optimisation level. Nothing for
// other files, nor through a linked __pycache__.
std::vector<std::string> find_bytecode(const FileRef& file);

// By-products of files and of the rules' modules.
ByProducts find_by_products(std::span<const FileRef> files, const std::vector<CacheRule>& rules,
                            const Variables& variables, std::int64_t edited_ns);

// Removes them. What cannot be removed becomes a problem: the edit itself stands. Folders that have
// been listed as a problem stay.
void clear_by_products(ByProducts& found, Progress& progress);

// As of now, for find_by_products(): everything that exists was made before.
std::int64_t now_ns();

}  // namespace ungate::patch
