// Archives read from front to back without unpacking: wheels and other zips, tar files (plain or
// compressed), and tar files inside others (layers of container images).
//
// Archives come from outside, so that nothing in them is believed: names that would leave the place
// where one unpacks are not handed on, links are not followed, and what unpacks to far more than it
// should stops the reading.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "package/distribution.h"

namespace ungate::package {

// Whether a file name is that of an archive that is read: .whl, .zip, .tar, .tgz, .tar.gz,
// .tar.zst, …
bool is_archive_name(std::string_view name);

// One regular file in an archive, while it passes by.
class ArchiveEntry {
 public:
  virtual ~ArchiveEntry() = default;
  const std::string& path() const { return path_; }  // relative, with '/', without "." and ".."
  std::uint64_t size() const { return size_; }       // as the archive says
  bool size_known() const {
    return size_known_;
  }  // zips written in one pass do not say it in front
  // The next bytes; none at the end. `malformed` if the archive is damaged.
  virtual Result<std::string_view> next() = 0;

 protected:
  std::string path_;
  std::uint64_t size_ = 0;
  bool size_known_ = true;
};

struct ArchiveLimits {
  std::uint64_t entries = 4'000'000;
  std::uint64_t bytes = std::uint64_t{256} << 30;  // unpacked, all together
  // Unpacked bytes for one that is stored, above `free` bytes: deflate gets to 1032 on zeros alone.
  std::uint64_t ratio = 200, free = std::uint64_t{1} << 30;
};

// What a visitor wants: go on (what it did not read is skipped), or stop here.
using ArchiveVisitor = std::function<Status(ArchiveEntry&)>;

// Calls `visit` for each regular file in order; a name that was there before comes again. Entries
// that are not handed on and why are added to `notes`. Ends with the visitor's error, or
// `malformed` with the archive's path, or `unreadable`.
Status read_archive(const std::string& path, const ArchiveVisitor& visit, std::vector<Note>& notes,
                    const ArchiveLimits& limits = {});
// The same for an archive that is an entry of another one; `name` is for errors.
Status read_archive(ArchiveEntry& entry, const std::string& name, const ArchiveVisitor& visit,
                    std::vector<Note>& notes, const ArchiveLimits& limits = {});

}  // namespace ungate::package
