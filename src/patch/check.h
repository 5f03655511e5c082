// Whether a plan may be written: everything that is asked before the first byte changes.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "patch/installed.h"
#include "patch/journal.h"
#include "patch/plan.h"

namespace ungate::patch {

struct Checked {
  std::vector<std::size_t> pending;    // files that are as they were planned from, in write order
  std::vector<std::size_t> unchanged;  // files that have their new bytes already
  std::vector<Error> refusals;         // why nothing may be written; every file is looked at
};

// Refused are: a plan that does not make sense (a path that leaves its site, a file named twice, a
// site that keeps its state elsewhere, edits that do not give the promised bytes); a symbolic link
// on the way; a file in a git checkout; one that changed since it was planned, or since it was
// installed (RECORD; a standing run of the journal explains its own bytes); a file that the plan
// relies on and that changed; a folder that cannot be written. `force` allows the git checkout and
// the file that was edited since it was installed, and nothing else.
Checked check(const Plan& plan, const Journal& journal, Installed& installed, bool force);

// The same for a caller that has no journal open: what `plan` shows ahead of `apply`.
Result<Checked> check(const Plan& plan, bool force);

// The git checkout that a file lies in; empty if it is none. An environment or site-packages folder
// inside a checkout is not part of it.
std::string git_checkout_of(const std::string& site, const std::string& path);

// One Error for several: the first, saying how many more there are.
Error combined(const std::vector<Error>& errors);

}  // namespace ungate::patch
