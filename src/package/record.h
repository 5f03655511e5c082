// RECORD: the list of files that a wheel installed, with their hashes.
//
// Format (PEP 376, PEP 627): CSV with the columns path, hash, size. The path is relative to the
// site-packages folder ('/' between names, may begin with "../"), or absolute. The hash is
// `sha256=<URL-safe base64 without padding>`, or empty for files that the installer made itself
// (RECORD, .pyc). A field with a comma, a quote or a line end is quoted, quotes inside are doubled.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ungate::package {

struct RecordEntry {
  std::string path;    // relative to the site, "." and ".." folded where they can be; or absolute
  std::string
      sha256;  // lower-case hex, as sha256_hex() writes it; empty: none, or another algorithm
  std::optional<std::uint64_t> size;
};

class Record {
 public:
  Record() = default;
  // Lines that are no records are left out and counted.
  static Record parse(std::string_view text);
  // The `installed-files.txt` of an egg-info folder: a path a line, relative to that folder, which
  // is `metadata` relative to the site. No hashes.
  static Record parse_installed_files(std::string_view text, std::string_view metadata);

  // Sorted by path.
  std::span<const RecordEntry> entries() const { return entries_; }
  // `path` relative to the site; nullptr if it is not listed.
  const RecordEntry* find(std::string_view path) const;
  std::size_t bad_lines() const { return bad_lines_; }

 private:
  void sort();

  std::vector<RecordEntry> entries_;
  std::size_t bad_lines_ = 0;
};

}  // namespace ungate::package
