// Comparing installed files with RECORD, as debsums does for Debian packages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "package/environment.h"
#include "package/owners.h"

namespace ungate::package {

struct Mismatch {
  enum class Kind { missing, changed, unreadable };
  std::uint32_t distribution = 0;  // index
  std::string path;                // relative to the distribution's site
  Kind kind = Kind::changed;
  std::string sha256;              // hex, what the file holds now; empty unless it was read
};

// The files of distributions that are not as RECORD says, by distribution, then path. Files that
// RECORD lists without a hash (.pyc, RECORD itself) are not compared, nor scripts outside the site:
// pip rewrites these after it has noted their hash.
std::vector<Mismatch> compare_with_record(const Environment& environment, const Owners& owners,
                                          std::span<const std::uint32_t> distributions,
                                          unsigned threads);

}  // namespace ungate::package
