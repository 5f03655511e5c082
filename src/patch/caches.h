// JIT caches: what a package built from its sources and would go on loading after an edit.
//
// Which packages keep what, and where, is data (CacheRule); this file only knows how to find
// folders by such a rule and how to remove them without ever leaving them. Symbolic links below a
// base folder are never followed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ungate::patch {

// Environment variables; tests give their own.
using Variables = std::function<std::optional<std::string>(std::string_view name)>;
Variables process_variables();

// Where a package keeps what it built, and which modules are meant.
struct CacheRule {
  std::string name;                  // as reports print it: "FlashInfer JIT"
  // Folders; `~` is HOME, `$NAME` and `${NAME}` are environment variables. A base with a variable
  // that is not set, or that is no folder, is left out.
  std::vector<std::string> bases;    // "~/.cache/flashinfer"
  // Folders below a base, names joined by '/'. `*` and `?` match within a name; `{version}` and
  // `{arch}` are a whole name each, and are reported; `{module}` is the name of a touched module.
  std::vector<std::string> folders;  // "{version}/{arch}/cached_ops/{module}"
  std::vector<std::string> modules;  // "trtllm_comm"; none: the rule finds nothing
  bool operator==(const CacheRule&) const = default;
};

struct CacheFolder {
  std::string rule, module, version, arch;  // version and arch empty if the pattern has none
  std::string base;       // absolute, links resolved
  std::string relative;   // below base
  std::uint64_t files = 0, bytes = 0;
  std::int64_t newest_ns = 0;  // newest modification time of a file in it
  bool stale = false;          // nothing in it is newer than the edit
  std::string problem;         // not empty: left alone, and why ("is a symbolic link")

  std::string path() const { return base + '/' + relative; }
};

// `{version}/{arch}/…` folders of exactly the rules' modules, sorted by path, each once. A folder
// is stale if nothing in it is newer than `edited_ns`. A pattern with "..", an absolute one and a
// module that is no plain name find nothing.
std::vector<CacheFolder> find_caches(const std::vector<CacheRule>& rules,
                                     const Variables& variables, std::int64_t edited_ns);

// The bases as they are now, absolute, so that a journal can keep them.
std::vector<std::string> expanded_bases(const CacheRule& rule, const Variables& variables);

// Removes a folder that find_caches() gave. On failure part of it may be gone, which build tools
// take for a build to be done again.
Status remove_cache(const CacheFolder& folder);

}  // namespace ungate::patch
