// Runs libclang on texts, in a child process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/source_file.h"

namespace ungate::cuda {

// One parse.
struct ClangJob {
  std::string name;  // a file name that need not exist
  std::string_view text;
  std::vector<std::string> arguments;
};

struct ClangSkipped {
  bool done = false;
  std::vector<source::Range> ranges;  // skipped by the preprocessor
  std::string reason;                 // if not done
};

struct ClangRun {
  std::string version;
  std::vector<ClangSkipped> jobs;  // as asked
};

// Never prints, never fails as a whole: a crash or a time-out costs the job it happened in, and the
// rest is done by another child.
ClangRun run_libclang(const std::vector<ClangJob>& jobs, const std::vector<std::string>& candidates,
                      unsigned timeout_seconds);

}  // namespace ungate::cuda
