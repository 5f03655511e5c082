// Whether the very edits of a plan were proved before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "patch/plan.h"
#include "prove/record.h"

namespace ungate::cli {

// Of all plans of one environment together; nothing if `prove` has not seen these edits.
std::optional<prove::ProofRecord> known_proof(const std::vector<patch::Plan>& plans);

// What a report says under "not proven yet": what was proved and by which compiler, or that nothing was.
std::string proof_sentence(const std::optional<prove::ProofRecord>& record);

// `proof_failed` for --require-proof: not proved, proved in part only, or proof failed.
Status require_proof(const std::optional<prove::ProofRecord>& record);

}  // namespace ungate::cli
