// Whether the very edits of a plan were proved before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "patch/plan.h"
#include "prove/record.h"
#include "rules/rule_set.h"

namespace ungate::cli {

// Of all plans of one environment together: what `prove` kept of these edits here, else what the patch
// set carries. Nothing if they were never proved. `recorded`: RuleSet::proofs.
std::optional<prove::ProofRecord> known_proof(const std::vector<patch::Plan>& plans,
                                              const std::vector<rules::RuleFile>& recorded);

// What a report says under "not proven yet": what was proved and by which compiler, or that nothing was.
std::string proof_sentence(const std::optional<prove::ProofRecord>& record);

// `proof_failed` for --require-proof: not proved, proved in part only, or proof failed.
Status require_proof(const std::optional<prove::ProofRecord>& record);

}  // namespace ungate::cli
