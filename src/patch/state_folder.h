// `<root>/.ungate`: the lock, and the original bytes of files that were written.
//
//   .ungate/lock            held (flock) by the process that writes; holds its process id
//   .ungate/journal         see journal.h
//   .ungate/runs/<run>/<sha256>          the bytes of a file before that run, by content
//   .ungate/runs/<run>/edited-<sha256>   bytes that somebody had edited, dropped by revert --force
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "patch/descriptor.h"

namespace ungate::patch {

std::string state_folder(const std::string& root);

// The process that writes in this environment at the moment; 0 if its id cannot be read.
std::optional<int> writer_of(const std::string& root);

// Exclusive use of an environment's state, until it is destroyed or the process ends in any way.
class StateFolder {
 public:
  // Creates the folder if it is not there. `locked` names the process that holds it.
  static Result<StateFolder> lock(const std::string& root);

  const std::string& root() const { return root_; }

  // Keeps the bytes of a file before it is written; synced when this returns.
  Status keep_original(const std::string& run, const std::string& sha256, std::string_view bytes);
  // The same for bytes that revert --force is about to drop.
  Status keep_edited(const std::string& run, const std::string& sha256, std::string_view bytes);
  // Gives originals back; `drift` if they do not hash to `sha256` any more.
  Result<std::string> original(const std::string& run, const std::string& sha256) const;
  // Removes the originals of a run that has ended; its folder too, unless edited bytes are kept
  // there.
  Status drop_originals(const std::string& run);

 private:
  StateFolder(std::string root, Descriptor lock) : root_(std::move(root)), lock_(std::move(lock)) {}
  std::string run_folder(const std::string& run) const;

  std::string root_;
  Descriptor lock_;
};

// Runs that have a folder in `runs`, sorted; and whether a run's folder holds originals.
std::vector<std::string> kept_runs(const std::string& root);
bool has_originals(const std::string& root, const std::string& run);

}  // namespace ungate::patch
