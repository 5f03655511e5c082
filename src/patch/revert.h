// Putting the exact bytes back.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "patch/put_back.h"

namespace ungate::patch {

struct RevertOptions {
  bool force = false;                // put back files that were edited since; a copy is kept
  std::optional<bool> clear_caches;  // not set: as the run did
  const std::atomic<bool>* cancel = nullptr;
  Variables variables = process_variables();
};

struct RevertedRun {
  std::string run;
  std::vector<std::string> restored;      // absolute; they hold their old bytes, with a new time
  std::vector<FileCondition> left_alone;  // nothing of ours was in them any more
  ByProducts by_products;
};

struct RevertReport {
  std::vector<RevertedRun> runs;  // newest first, as they were put back; empty: nothing stood
};

// Runs that stand and that a user means by these texts (an id, or the beginning of one); all of
// them for no text. Newest first. `not_found` for a text that means none or several.
Result<std::vector<Run>> standing_runs(const Journal& journal,
                                       const std::vector<std::string>& texts);

// Puts back the runs, newest first. Refused before anything changes: a run that a later one builds
// on or relies on and that is not put back with it (`refused`), and files edited since (`drift`,
// see put_back()). A cancelled or failed revert stays unfinished in the journal; recover() ends it.
// Every state on the way is safe, since files go back in the reverse order of writing. `not_found`
// if nothing was ever applied here.
Result<RevertReport> revert(const std::string& root, const std::vector<std::string>& runs,
                            const RevertOptions& options, Progress& progress);

}  // namespace ungate::patch
