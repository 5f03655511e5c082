// From patch sets, and gates chosen by the user, to plans: which edits an environment needs, in
// which order, and why nothing may be written if that is so.
//
// This house does not audit: it is given the gates of an audit and a way to read files. Whether the
// edits do what they are meant to is checked by auditing again (lift_check.h).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gate/gate.h"
#include "package/environment.h"
#include "patch/patch_set.h"
#include "patch/plan.h"
#include "patch/request.h"

namespace ungate::patch {

// What is there. All of it must outlive the resolution.
struct Ground {
  const package::Environment& environment;
  // Of the whole environment, judged for devices_to_judge().
  const std::vector<gate::Gate>& gates;
  // The bytes of a file below a site; nullopt if there is none.
  std::function<Result<std::optional<std::string>>(std::uint32_t site, const std::string& path)>
      load;
  // All patch sets that there are; those that are wanted are an argument of resolve().
  const std::vector<PatchSet>& sets;
  // Where each package keeps what it built (CacheRule::modules is filled in here), by its name.
  std::map<std::string, std::vector<CacheRule>> caches;
};

// A gate that the edits are to open.
struct Opening {
  const gate::Gate* gate = nullptr;
  arch::DeviceSet admit;  // these and no others are to be let in
  // See Step::splits: only these JIT modules are built in the part that is opened, and what the
  // others need it does not. Empty: all that the gate leads to.
  bool splits = false;
  std::vector<std::string> modules;
  std::string step;  // its id, or that of the gate for a lift
};

// An edit that was decided on.
struct PlannedEdit {
  std::uint32_t site = 0;
  std::string path;
  source::Edit edit;
  std::string step;
};

struct StepOutcome {
  const Step* step = nullptr;  // null for a lift
  PlanStep record;
  std::string where;  // path:line of what it is about, or of the nearest place
  std::vector<PlannedEdit> edits;
  std::vector<Opening> openings;
  std::vector<std::string> modules;  // JIT modules that are built from what it edits
  // Files that hold what it wants already (site, path).
  std::vector<std::pair<std::uint32_t, std::string>> holds;
  bool fits() const;  // false: drifted or ambiguous
};

struct MemberOutcome {
  const Member* member = nullptr;
  bool chosen = false;             // wanted, by default or by name
  std::string why;                 // why it is off, or not written although it was wanted
  std::vector<StepOutcome> steps;  // of a member that is off, too: what it would do
};

struct SetOutcome {
  const PatchSet* set = nullptr;
  std::string state;  // of its chosen members, together: see state:: in plan.h
  std::vector<MemberOutcome> members;
};

struct Resolution {
  std::vector<SetOutcome> sets;
  std::vector<StepOutcome> lifts;
  std::vector<PlannedEdit> edits;  // of the plans
  std::vector<Opening> openings;
  // One for each Site::root, in the order in which they are to be written. None if there is nothing
  // to do, or if there are refusals.
  std::vector<Plan> plans;
  std::vector<Error> refusals;  // `drift`, `does_not_fit`, `refused`
};

// Fails for a lift that names no gate (`not_found`) and for files that cannot be read; everything
// else that is in the way is a refusal.
Result<Resolution> resolve(const std::vector<const PatchSet*>& sets, const Request& request,
                           const Ground& ground);

}  // namespace ungate::patch
