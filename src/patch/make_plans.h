// From edits that were decided on to plans (internal).
#pragma once

#include <vector>

#include "patch/resolve.h"
#include "patch/texts.h"

namespace ungate::patch {

// Steps that are taken, in order.
std::vector<const StepOutcome*> taken_steps(const Resolution& resolution);

// Fills `plans` from the other members: one a root, files in write order, with what they rely on
// and the caches that become stale. Files that need each other, and edits that overlap, become
// errors or refusals.
Status make_plans(const Request& request, const Ground& ground, Texts& texts,
                  Resolution& resolution);

}  // namespace ungate::patch
