// What is to be proved: texts before and after, from a plan, a run, a diff, or lifts.
#pragma once

#include <string>
#include <vector>

#include "cli/planning.h"
#include "prove/tree.h"

namespace ungate::cli {

struct ProofEdits {
  std::string subject;        // "patch set flashinfer-python/allreduce-sm12x", "run c41d"
  prove::Texts before;        // where the environment no longer has them
  prove::Texts after;         // where the environment does not have them yet
  std::vector<std::string> files;   // edited, relative to their import roots, sorted
  std::vector<std::string> notes;
  std::vector<patch::PlanStep> steps;
};

// The bytes of the first file of this path in import order.
Result<std::string> text_of(const package::Environment& environment, const std::string& path);

// Of a run that stands, or its beginning.
Result<ProofEdits> edits_of_run(const package::Environment& environment, const std::string& run);
// Of a unified diff whose names are relative to an import root.
Result<ProofEdits> edits_of_diff(const package::Environment& environment, const std::string& file);
// Of a plan file that is for this environment.
Result<ProofEdits> edits_of_plan(const package::Environment& environment, const std::string& file);
// Of what `plan` would write; also where it would refuse to, which is noted then.
Result<ProofEdits> edits_of_view(const report::PlanView& view);

}  // namespace ungate::cli
