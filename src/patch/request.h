// What the user asks for: which patch sets, members and lifts, for which devices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "base/error.h"
#include "patch/patch_set.h"

namespace ungate::patch {

// What the user wants.
struct Request {
  std::vector<arch::Device> targets;
  std::vector<std::string> sets;  // ids, or their last part; none: all that are for the targets
  bool no_sets = false;           // only the lifts
  std::vector<std::string>
      members;  // to be taken although they are off: "auto", "allreduce-sm12x:auto"
  std::vector<std::string> without;  // to be left out although they are on
  std::vector<std::string> lifts;    // gates: ids, or the beginning of one; path:line
  bool lift_unknown = false;         // also gates whose verdict is not known
};

// The sets that a request is about: those for its targets, or those it names. `usage` for a name
// that means none or several, or a member that no such set has.
Result<std::vector<const PatchSet*>> choose_sets(const std::vector<PatchSet>& sets,
                                                 const Request& request);

// The devices that the audit must judge gates for.
std::vector<arch::Device> devices_to_judge(const std::vector<const PatchSet*>& sets,
                                           const Request& request);

// Whether one of these texts means the member: "auto" in any set, "allreduce-sm12x:auto" in one.
bool is_named(const PatchSet& set, const Member& member, const std::vector<std::string>& names);

}  // namespace ungate::patch
