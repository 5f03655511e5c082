// The journal: what was written in an environment, by which run.
//
// Format: `<root>/.ungate/journal`, one JSON object a line, appended to and synced. The last field
// of each is "sum": 16 hex digits, XXH3 of the line up to (not including) `, "sum"`. Other fields,
// by "record":
//   journal   first line: format (1)
//   apply     run, time (UTC, ISO 8601), pid, target, clear_caches, steps, relies_on, caches (as in
//   plan
//             files) and files: [{site, path, package, version, before_sha256, after_sha256}] in
//             write order. Synced before the first byte of a package changes: from here on the run
//             exists.
//   applied   run, time: every file is written, by-products are cleared
//   undone    run, time, reason: the run failed or was interrupted, and every file was put back
//   revert    run, time, pid: the files are about to be put back, last one first
//   reverted  run, time: they are
//   stopped   run, time, reason: writing or putting back ended early and could not be taken back
//   now
// A run without applied, undone or reverted after its last apply or revert was interrupted;
// recover() (recover.h) ends it. Which of its files are written then is not recorded: their hashes
// tell.
//
// A last line that is not whole (no line end, or a wrong sum) is what a crash leaves: it is taken
// as not written, and cut off before the next append. A damaged line before the last is an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "patch/plan.h"

namespace ungate::patch {

struct RunFile {
  std::string site, path;
  std::string package, version;             // owner when it was written; may be empty
  std::string before_sha256, after_sha256;  // hex
  bool operator==(const RunFile&) const = default;
};

struct Run {
  enum class State { applying, applied, undone, reverting, reverted };

  std::string id;       // "c41d", unique in its journal
  std::string time;     // when it began, "2026-11-29T23:40:12Z"
  std::string target;
  std::vector<PlanStep> steps;
  std::vector<RunFile> files;  // in write order
  std::vector<Reliance> relies_on;
  std::vector<CacheRule> caches;  // bases also in absolute form, as they were then
  bool clear_caches = false;
  State state = State::applying;
  std::string state_time;  // when it came into this state
  std::string reason;      // why it was undone or stopped; may be empty

  bool interrupted() const { return state == State::applying || state == State::reverting; }
  bool stands() const { return state == State::applied; }
};
std::string_view name_of(Run::State state);

class Journal {
 public:
  // Reads it; no journal is an empty one. `bad_config` names the damaged line.
  static Result<Journal> read(const std::string& root);

  const std::vector<Run>& runs() const { return runs_; }  // oldest first
  bool empty() const { return runs_.empty(); }
  // True if the last line was not whole.
  bool torn() const { return torn_; }
  const Run* find(std::string_view id) const;
  const Run* interrupted() const;  // the last one, or nullptr

  // Appending, by the holder of the lock. Each is synced when it returns.
  Status begin(const Run& run);
  // `state` is any but `applying`.
  Status enter(const std::string& run, Run::State state, std::string_view reason = {});
  Status stopped(const std::string& run, std::string_view reason);

 private:
  explicit Journal(std::string root) : root_(std::move(root)) {}
  Status append(std::string line);
  Status take(std::string_view line, std::size_t number);

  std::string root_;
  std::vector<Run> runs_;
  std::size_t good_bytes_ = 0;  // length of the whole lines
  bool torn_ = false;
};

// Now, as journals write it.
std::string utc_time();

}  // namespace ungate::patch
