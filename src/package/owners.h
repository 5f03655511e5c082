// Which distribution owns a file.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "package/environment.h"

namespace ungate::package {

struct Owner {
  const Distribution* distribution = nullptr;  // nullptr: nobody
  const RecordEntry* entry = nullptr;  // its RECORD line; nullptr: owned by its top folder only
};

// Reads RECORD files as they are asked for and keeps them. May be used from several threads. The
// environment must outlive it.
class Owners {
 public:
  explicit Owners(const Environment& environment);
  ~Owners();

  // `path` is relative to the site. Exact by RECORD; else the editable install whose sources the
  // site is; else the distribution that has other files below the same top-level folder, if it is
  // the only one that has; else nobody.
  Owner find(std::uint32_t site, std::string_view path) const;
  // RECORD of a distribution of the environment, by its index; empty if there is none.
  const Record& record(std::uint32_t distribution) const;

 private:
  struct Loaded;
  const Environment& environment_;
  std::unique_ptr<Loaded[]> loaded_;
};

}  // namespace ungate::package
