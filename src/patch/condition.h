// What has become of a file since a run wrote it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "patch/installed.h"
#include "patch/journal.h"

namespace ungate::patch {

enum class FileState {
  ours,        // the bytes that the run wrote, or that a later run made of them
  pristine,    // the bytes before the run, or those of RECORD in the same version
  superseded,  // not ours, and the package has another version now or is gone
  foreign,     // other bytes, same version: somebody edited it
  missing      // not there, same version
};
std::string_view name_of(FileState state);

struct FileCondition {
  std::string site, path;
  FileState state = FileState::ours;
  std::string why;     // one phrase, empty for plain `ours`
  std::string sha256;  // hex, what it holds now; empty if missing
};

// Looks at files for one command. Runs that are to be put back before others are taken off with
// pretend(), so that what lies below them is judged by the bytes it will have then.
class Conditions {
 public:
  Conditions(const Journal& journal, Installed& installed)
      : journal_(journal), installed_(installed) {}

  // `refused` and `unreadable` as open_target() and read_target() give them.
  Result<FileCondition> of(const Run& run, const RunFile& file);
  Result<std::vector<FileCondition>> of(const Run& run);
  // From now on the file is taken to hold these bytes.
  void pretend(const RunFile& file, const std::string& sha256);

 private:
  using Key = std::pair<std::string, std::string>;
  Result<std::string> hash_now(const RunFile& file);
  const Run* later_writer(const Run& run, const RunFile& file, const std::string& sha256) const;

  const Journal& journal_;
  Installed& installed_;
  std::map<Key, std::string> pretended_;
};

}  // namespace ungate::patch
