// One step, or one lift, against what is there (internal).
#pragma once

#include "patch/resolve.h"
#include "patch/texts.h"

namespace ungate::patch {

// Decides a step's state and edits. Errors are files that cannot be read.
Result<StepOutcome> resolve_step(const PatchSet& set, const Member& member, const Step& step,
                                 const Ground& ground, Texts& texts);

// A gate that the user names, for the request's targets.
StepOutcome resolve_lift(const gate::Gate& gate, const Request& request,
                         std::vector<Error>& refusals);

}  // namespace ungate::patch
