// What stands in an environment, and what has become of it. Changes nothing and takes no lock.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "package/verify.h"
#include "patch/put_back.h"

namespace ungate::patch {

enum class RunCondition {
  as_applied,   // every file holds what the run wrote
  drifted,      // at least one was edited, restored or removed while its package stayed
  superseded,   // nothing of it is left: the package was upgraded or removed
  interrupted,  // it was killed while writing or putting back; the next writing command ends it
  ended         // undone or reverted
};
std::string_view name_of(RunCondition condition);

struct RunStatus {
  Run run;
  RunCondition condition = RunCondition::as_applied;
  std::vector<FileCondition> files;    // in write order; empty for a run that has ended
  std::vector<CacheFolder> caches;     // of its modules, with `stale` by when the run was applied
  std::string why;                     // one phrase; empty if as applied
};

// A file of a touched package that is not as RECORD says.
struct RecordMismatch {
  std::string site, path, package, version;
  package::Mismatch::Kind kind = package::Mismatch::Kind::changed;
  std::string run;  // the standing run that wrote these bytes; empty: somebody else did
};

struct StatusReport {
  std::vector<RunStatus> runs;              // oldest first
  std::vector<std::string> left_overs;      // temporary files and folders that recover() removes
  std::vector<RecordMismatch> mismatches;   // by site, package, path
  std::optional<int> writer;  // a process that writes here at the moment (0: id unknown)
  bool torn_journal = false;                // its last line was not whole: a writer was killed

  // True if a run is not as applied (drifted, superseded, interrupted), or a touched package holds
  // bytes that neither it nor a run brought: exit status 3.
  bool differs() const;
};

// `threads` hash the files of the touched packages; 0: as many as the machine has.
Result<StatusReport> status(const std::string& root, const Variables& variables, unsigned threads);

}  // namespace ungate::patch
