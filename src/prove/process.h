// Running compilers: with their output, their cost, and a way to stop them.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/error.h"

namespace ungate::prove {

struct ProcessResult {
  int status = 0;            // exit status; -1: it was ended by a signal
  std::string output;        // stdout
  std::string messages;      // stderr, at most 4 MB of it
  double seconds = 0;        // of the wall clock
  double cpu_seconds = 0;    // of it and its children
};

struct ProcessOptions {
  std::string folder;                            // to run in; empty: this one
  std::string scratch;                           // TMPDIR of the program; empty: as it is
  int seconds = 0;                               // longest time; 0: any
  const std::atomic<bool>* cancelled = nullptr;  // once true, it and its children are killed
};

// `command.front()` is a path. Fails if it cannot be started (`tool_missing`), is cancelled
// (`interrupted`) or runs out of time (`internal`); a status that is not 0 is no failure.
// It runs in a process group of its own, so that nothing it started is left when it is killed.
Result<ProcessResult> run_process(const std::vector<std::string>& command, const ProcessOptions& options);

// A new folder below TMPDIR, removed with all that is in it when this goes away.
class ScratchFolder {
 public:
  static Result<ScratchFolder> make();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();
  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace ungate::prove
