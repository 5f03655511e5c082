// Which patch sets are for a gate (internal to report/).
#pragma once

#include <string>
#include <vector>

#include "patch/patch_set.h"
#include "report/listing.h"

namespace ungate::report {

// The ids of those sets that are for the target and have a step in a file of one of these gates, for
// the version that is installed.
std::vector<std::string> sets_for(const std::vector<const patch::PatchSet*>& sets,
                                  arch::Device target, const Entries& entries);

}  // namespace ungate::report
