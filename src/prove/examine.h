// What a build says about its unit: the questions that a proof asks of it (internal).
#pragma once

#include "prove/proof.h"

namespace ungate::prove {

// True if a kernel of the build can only be judged next to one that is known to be whole.
bool needs_reference(const Build& build, const std::vector<KernelSource>& kernels);

// Problems and notes of `proof.after`; `reference` may be null.
void examine(TargetProof& proof, const Build* reference, const Job& job);
void examine(OtherProof& proof);

}  // namespace ungate::prove
