// Plans: which bytes would be written, decided and complete. Which edits they are made of is
// decided by the semantic steps; the engine in this house only checks, writes, records and takes
// back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "patch/caches.h"
#include "source/edit.h"

namespace ungate::patch {

// The states of a step, as reports and plan files write them.
namespace state {
inline constexpr std::string_view applies = "applies";
inline constexpr std::string_view already_admitted = "already-admitted";
inline constexpr std::string_view superseded = "superseded";
inline constexpr std::string_view drifted = "drifted";
inline constexpr std::string_view ambiguous = "ambiguous";
inline constexpr std::string_view not_installed = "not-installed";
}  // namespace state

// One step of a patch set, or the lift of one gate, and what became of it.
struct PlanStep {
  std::string set;      // "flashinfer-python/allreduce-sm12x"; "lift" for a gate chosen by --lift
  std::string id;       // of the step in its set, or of the gate
  std::string package, version;  // what it looked at; version empty if it is not installed
  std::string state;    // one of the above
  std::string detail;   // why, one line
  bool operator==(const PlanStep&) const = default;
};

// The edits of one file. Files that do not exist are never created, and none is removed.
struct FileChange {
  std::string site;     // absolute, links resolved (package::Site::path)
  std::string path;     // relative to the site
  std::string before_sha256, after_sha256;  // hex, of the whole file
  std::vector<source::Edit> edits;          // over the bytes before
  std::vector<std::string> steps;           // ids of the steps that they come from
  // The whole file; empty in a plan that was read from JSON until load_bytes() has been called, and
  // not used by apply(), which makes the new bytes from those on disk.
  std::string before, after;
  bool operator==(const FileChange&) const = default;
};

// Fills in hashes and bytes; `does_not_fit` if the edits do not.
Result<FileChange> make_change(std::string site, std::string path, std::string before,
                               std::vector<source::Edit> edits, std::vector<std::string> steps);

// A file that the plan leaves alone but was decided on: it holds an edit that another one needs (a
// step found already-admitted). apply() refuses if it has other bytes by then, and revert() refuses
// to take it back while the run that relies on it stands.
struct Reliance {
  std::string site, path, sha256;
  bool operator==(const Reliance&) const = default;
};

// Plan file, JSON, written by to_json(): the same names in this order,
//   {"schema": "ungate-plan", "version": 1, "root", "target",
//    "steps": [{"set", "id", "package", "version", "state", "detail"}],
//    "files": [{"site", "path", "before_sha256", "after_sha256", "steps": [id],
//               "edits": [{"begin", "end", "before", "after"}]}],
//    "relies_on": [{"site", "path", "sha256"}],
//    "caches": [{"name", "bases", "folders", "modules"}]}
// Other fields are left alone ("report" is what `ungate plan` showed).
// `site` is relative to `root` where it lies below ("" is the root itself), so that a plan can be
// applied to another copy of the environment. Text of an edit that is not UTF-8 is written in hex,
// as "before_hex" and "after_hex".
struct Plan {
  std::string root;     // absolute; package::Site::root of every file's site
  std::string target;   // as reports name it: "sm_120"
  std::vector<PlanStep> steps;
  // In write order: an edit stands behind those it needs, the enabling one last. Reverting goes the
  // other way, so that every interruption leaves a state in which no edit lacks what it needs.
  std::vector<FileChange> files;
  std::vector<Reliance> relies_on;
  std::vector<CacheRule> caches;  // with the modules that the edits touch

  bool empty() const { return files.empty(); }
  bool operator==(const Plan&) const = default;
};

std::string to_json(const Plan& plan);

// Reads a plan file. `where` is for messages; a `root` that is not empty replaces the one in the
// file. `bad_config` says which field is wrong. Bytes are not there yet.
Result<Plan> plan_from_json(std::string_view json, const std::string& where,
                            const std::string& root = {});

// The same for a document that may hold several: {"schema": "ungate-plans", "plans": [plan files]}. A
// `root` is for one plan only (`usage` otherwise).
Result<std::vector<Plan>> plans_from_json(std::string_view json, const std::string& where,
                                          const std::string& root = {});

// Reads the files and fills `before` and `after`. A file that has its new bytes already gets both
// equal to them. `drift` names the first file that is neither.
Status load_bytes(Plan& plan);

// The whole plan as a unified diff that `patch -p1` applies in `folder`.
struct PlanDiff {
  std::string folder;  // the files' site; the root if there are several
  std::string text;
};
PlanDiff diff(const Plan& plan);

}  // namespace ungate::patch
