// From flags to plans: what `plan` shows and `apply` writes.
#pragma once

#include <optional>

#include "cli/analysis.h"
#include "report/plan_view.h"

namespace ungate::cli {

struct PlanFlags : AnalysisFlags {
  patch::Request request;  // its targets are filled in by make_plans()
  bool force = false;
  std::optional<bool> clear_caches;
};
void declare(CLI::App& app, PlanFlags& flags);
// Those that choose sets, members and lifts alone.
void declare_taking(CLI::App& app, PlanFlags& flags);
// --force and --clear-caches alone, for commands that make no plan.
void declare_writing(CLI::App& app, bool& force, std::optional<bool>& clear_caches,
                     const std::string& force_help);

// The roots where state about an environment is kept, in import order.
std::vector<std::string> roots_of(const package::Environment& environment);

// Ends interrupted runs, audits, resolves, audits the edited texts and looks around: everything
// short of writing. Views point into the subject, which must stay. Refusals are in the views, not
// errors.
Result<std::vector<report::PlanView>> make_plans(Subject& subject, const PlanFlags& flags,
                                                 Console& console);

// What `plan` does: makes the plans and shows them.
Result<Exit> show_plans(const PlanFlags& flags, Console& console);

// Ends what a killed run left; says on stderr what was done.
Status recover_roots(const std::vector<std::string>& roots, bool force, Console& console);

}  // namespace ungate::cli
