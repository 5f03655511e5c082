// Reading and replacing single files so that a crash leaves the old or the new bytes, never a
// mixture.
//
// A file is never written in place: uv and conda link package files from a shared cache, and an
// in-place write would change every environment on the machine. A new file is written beside it and
// renamed over it; other links keep the old bytes. Symbolic links are never followed below a site.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "patch/descriptor.h"

namespace ungate::patch {

// A file below a site, by its open folder: names in it cannot be redirected by swapping a link in.
struct Target {
  Descriptor folder;
  std::string name;
  std::string path;  // site and relative path, for messages
};

// `refused` if the site, a folder on the way or the file is a symbolic link or no regular file;
// `no_such_path` if a folder is missing (the file itself may be).
Result<Target> open_target(const std::string& site, const std::string& path);

struct Current {
  std::string bytes;
  std::string sha256;  // hex
  struct stat info {};
};
// The file's bytes; nullopt if it is not there.
Result<std::optional<Current>> read_target(const Target& target);

// True if entries of the folder can be replaced; the Error is `read_only`.
Status check_writable(const Target& target);

struct Replaced {
  bool owner_kept = true;
};
// Replaces the bytes of a file that hashes to `expected_sha256` now; `drift` if it does not. Mode,
// owner, group and extended attributes are kept where the system allows it. The modification time
// is now, and later than the old one in any case: build tools compare times, and an old time would
// keep what was built from the bytes that are gone. File and folder are synced. On failure the
// target has its old bytes and no temporary file is left, if the system still lets us remove it.
Result<Replaced> replace_file(const Target& target, std::string_view bytes,
                              const std::string& expected_sha256, const std::string& temporary);

// Removes a temporary file that a killed run left beside the target. True if there was one.
bool remove_temporary(const Target& target, const std::string& temporary);

// Creates `folder`/`name` with these bytes and syncs both; an existing file is replaced.
Status write_new_file(const std::string& folder, const std::string& name, std::string_view bytes);

// Creates a folder unless it is there, and syncs its parent. `refused` if a link stands there.
Status make_folder(const std::string& path);

Status write_all(int fd, std::string_view bytes, const std::string& path);
Status sync_folder(const std::string& path);

}  // namespace ungate::patch
