// Writing a plan.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "patch/by_products.h"
#include "patch/plan.h"
#include "patch/progress.h"

namespace ungate::patch {

struct ApplyOptions {
  bool force = false;                // see check()
  std::optional<bool> clear_caches;  // not set: if the root is an environment (virtual or conda)
  const std::atomic<bool>* cancel = nullptr;  // set by Ctrl-C; looked at between files
  Variables variables = process_variables();
};

struct ApplyReport {
  std::string run;                     // empty: nothing had to be written, and nothing was
  std::vector<std::string>
      written;  // absolute, in order; each was read back and holds the new bytes
  std::vector<std::string> unchanged;  // had their new bytes already
  ByProducts by_products;

  bool changed() const { return !run.empty(); }
};

// All of a plan or nothing. Checks everything first, keeps the originals, writes the journal, then
// the files in order (by-products are cleared before the last one, which may enable what the others
// prepare, and after it).
//
// When it fails or is cancelled half-way, the files written so far are put back before it returns;
// the Error says so, or, if even that failed, that the run was left unfinished. After a kill the
// state is as safe, and recover() (recover.h) ends the run. While an interrupted run is there
// apply() refuses: call recover() first, then plan, for a plan that was made from a half-written
// tree may lack edits.
Result<ApplyReport> apply(const Plan& plan, const ApplyOptions& options, Progress& progress);

}  // namespace ungate::patch
