// What `plan` shows of one environment, and its renderers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "base/error.h"
#include "package/copies.h"
#include "patch/by_products.h"
#include "patch/lift_check.h"
#include "patch/prebuilt.h"
#include "patch/processes.h"
#include "patch/resolve.h"
#include "prove/record.h"
#include "report/report.h"

namespace ungate::report {

// What goes with the plan of one root.
struct RootView {
  patch::ByProducts stale;  // of the files that would be written
  bool clears = false;      // apply clears them; else it lists them
};

// A package that could be imported from elsewhere, too.
struct CopiesView {
  std::string name;    // "flashinfer"
  std::string edited;  // the copy that is edited
  std::vector<std::string> others;
  bool shadowed = false;  // another one comes first in import order: the edit would have no effect
};

struct PlanView {
  const package::Environment* environment = nullptr;
  std::vector<arch::Device> targets;  // those that were asked for
  audit::Report audit;  // judged for more; holds the gates that `resolution` points to
  patch::Resolution resolution;
  patch::LiftCheck check;
  std::vector<RootView> roots;            // one a plan of the resolution, in their order
  std::vector<Error> refusals;            // all reasons why nothing may be written
  std::vector<patch::Prebuilt> prebuilt;  // loaded instead of what the edited sources give
  std::vector<CopiesView> copies;
  patch::ProcessReport processes;
  std::optional<prove::ProofRecord> proof;  // of these very edits, if they were proved before
  std::vector<std::string> unproved;  // sentences: what nobody has proven yet
  std::map<std::string, std::string>
      applied_by;  // a set's id -> the newest standing run that wrote of it

  bool empty() const { return resolution.plans.empty(); }
};

// For people. `repeat` of the style are the flags that name the environment again.
std::string plan_human(const std::vector<PlanView>& views, const Style& style);
// The plan file (patch/plan.h) with a field "report" beside its own; if there are several plans, or
// several environments, a document {"schema": "ungate-plans", "plans": [those documents]}.
std::string plan_json(const std::vector<PlanView>& views, const Style& style);

}  // namespace ungate::report
