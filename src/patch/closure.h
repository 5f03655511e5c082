// Lifts that need other lifts, and the order that keeps every moment in between safe.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "patch/resolve.h"

namespace ungate::patch {

// A set with a step for this gate; nullptr if there is none.
const PatchSet* set_for(const std::vector<PatchSet>& sets, const gate::Gate& gate);

// A refusal for each gate that is to be opened while a gate that it needs stays closed, naming all
// that is missing. `sets` are those that could be chosen instead.
std::vector<Error> missing_needs(const std::vector<Opening>& openings,
                                 const std::vector<gate::Gate>& gates,
                                 const std::vector<PatchSet>& sets);

using FileId = std::pair<std::uint32_t, std::string>;  // site, path

// The files in write order: as listed, but a file stands behind those that hold what its gates
// need. `refused` if two files need each other.
Result<std::vector<FileId>> write_order(std::vector<FileId> files,
                                        const std::vector<Opening>& openings,
                                        const std::vector<gate::Gate>& gates);

}  // namespace ungate::patch
