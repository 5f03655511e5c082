// Ending what a kill, a crash or a full disk left half done.
#pragma once

#include <string>
#include <vector>

#include "patch/apply.h"
#include "patch/put_back.h"

namespace ungate::patch {

struct Recovered {
  enum class How {
    completed,  // all files were written already: by-products cleared, the run stands
    undone,     // the files that were written were put back
    reverted    // a revert was brought to its end
  };
  std::string run;
  How how = How::undone;
  std::vector<std::string> restored;
  std::vector<FileCondition> left_alone;
};

struct RecoverReport {
  std::vector<Recovered> runs;
  std::vector<std::string> removed;  // temporary files and kept originals of runs that never began
  bool empty() const { return runs.empty() && removed.empty(); }
};

struct RecoverOptions {
  bool force = false;  // put back files that somebody edited meanwhile, too; a copy is kept
  Variables variables = process_variables();
};

// Every command that writes, and every one that plans, calls this first. Without anything to do it
// changes nothing and takes no lock. `drift` if a file of an interrupted run was edited since.
Result<RecoverReport> recover(const std::string& root, const RecoverOptions& options,
                              Progress& progress);

// Folders in `.ungate/runs` that nothing needs: of runs that never began, or that have ended.
std::vector<std::string> needless_runs(const std::string& root, const Journal& journal);

// Records how a run whose files are done has ended, and drops what was kept for it.
Status end_run(StateFolder& state, Journal& journal, const Run& run, Run::State end,
               std::string_view reason);

// What commands that refuse to work on top of an interrupted run say.
Error interrupted_error(const Run& run, const std::string& root);

// Puts back what a run that did not end has written, and records it with the reason.
Result<PutBack> undo(StateFolder& state, Journal& journal, const Run& run, Installed& installed,
                     std::string_view reason, const Variables& variables, Progress& progress,
                     bool force = false);

}  // namespace ungate::patch
