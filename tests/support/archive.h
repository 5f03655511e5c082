// Writes archives for tests: a zip if the name ends in .whl or .zip, else a tar file.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <string>
#include <utility>
#include <vector>

namespace ungate::test {

using ArchiveFiles = std::vector<std::pair<std::string, std::string>>;  // path, bytes

inline std::string write_archive(const std::string& path, const ArchiveFiles& files) {
  archive* a = archive_write_new();
  if (path.ends_with(".whl") || path.ends_with(".zip"))
    archive_write_set_format_zip(a);
  else
    archive_write_set_format_pax_restricted(a);
  archive_write_open_filename(a, path.c_str());
  for (const auto& [file, bytes] : files) {
    archive_entry* e = archive_entry_new();
    archive_entry_set_pathname(e, file.c_str());
    archive_entry_set_perm(e, 0644);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_size(e, static_cast<la_int64_t>(bytes.size()));
    archive_write_header(a, e);
    archive_write_data(a, bytes.data(), bytes.size());
    archive_entry_free(e);
  }
  archive_write_close(a);
  archive_write_free(a);
  return path;
}

}  // namespace ungate::test
