// What wheels, tar files and container images hold, read once from front to back without unpacking.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/objects.h"
#include "audit/walk.h"

namespace ungate::audit {

struct ArchiveMember {
  std::string text;                  // of files that were asked for
  std::optional<ObjectFile> object;  // of binaries
  std::string unread;                // why neither is there; empty: nothing is missing
};

struct ArchiveContents {
  // By path: in an image (what `docker save` and OCI tools write) that of the container, where layers
  // apply in order and what a later layer replaces or removes is not there. Binaries and texts only.
  std::map<std::string, ArchiveMember> members;
  std::size_t seen = 0;        // regular files of any kind
  std::vector<Unread> unread;  // entries that were refused, and why
  bool image = false;
};

// Decides by a path whether its text is kept.
using WantsText = std::function<bool(const std::string& path, bool image)>;

// Ends with an Error if the archive cannot be read to its end. Binaries that are too large to be
// kept are listed, but their kernels are not looked into. Texts of more than 64 MiB, and those
// beyond 2 GiB in all, are not kept and are unread.
Result<ArchiveContents> read_archive_contents(const std::string& path, const ObjectOptions& options,
                                              const WantsText& wants);

}  // namespace ungate::audit
