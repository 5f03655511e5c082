// The binaries of an environment, with their code objects.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/walk.h"
#include "binary/kernels.h"
#include "binary/listing.h"
#include "package/environment.h"
#include "package/owners.h"

namespace ungate::audit {

struct ObjectFile {
  std::uint32_t site = 0;        // index of the import root
  std::string path;              // relative to it
  std::string package, version;  // of the distribution that owns it; may be empty
  binary::Listing listing;
  std::optional<binary::Kernels> kernels;  // if they were asked for
};

struct Objects {
  std::vector<ObjectFile> files;  // by site, then path; only what is a binary
  std::vector<Unread> unread;     // damaged, or not to be read
};

struct ObjectOptions {
  std::vector<std::string> excludes;  // globs, as for walk()
  bool kernels = false;               // reads whole files, not only headers
  unsigned threads = 0;
  const std::atomic<bool>* cancelled = nullptr;
  const package::Owners* owners = nullptr;  // of the environment, if they are at hand
};

// Reads those files of a walk over the environment's sites that are binaries by their name, with
// several threads. Only what was selected in the environment is read.
Objects read_objects(const package::Environment& environment, const std::vector<FoundFile>& files,
                     const ObjectOptions& options);

// Walks the environment for them.
Objects find_objects(const package::Environment& environment, const ObjectOptions& options);

// One file, whatever it is called.
Result<ObjectFile> read_object(const std::string& full_path, const ObjectOptions& options);

}  // namespace ungate::audit
