#include "cli/planning.h"

#include <fmt/core.h>
#include <CLI/Option.hpp>

#include <algorithm>

#include "base/text.h"
#include "cli/known_proof.h"
#include "package/folder.h"
#include "package/prefix.h"
#include "patch/check.h"
#include "patch/closure.h"
#include "patch/disk.h"
#include "patch/recover.h"

namespace ungate::cli {
namespace {

using report::PlanView;

constexpr const char* kTake = "What to take";
constexpr const char* kWrite = "How to write";

CLI::Option* repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& into,
                        const std::string& help, const char* type) {
  return app.add_option(name, into, help)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(kTake);
}

Result<std::optional<std::string>> load_from_disk(const package::Environment& environment,
                                                  std::uint32_t site, const std::string& path) {
  auto target = patch::open_target(environment.sites[site].path, path);
  if (!target && target.error().code == ErrorCode::no_such_path) return std::nullopt;
  if (!target) return std::unexpected(target.error());
  auto current = patch::read_target(*target);
  if (!current) return std::unexpected(current.error());
  if (!*current) return std::nullopt;
  return std::move((*current)->bytes);
}

patch::Unreadable unread_of(const audit::Report& report) {
  patch::Unreadable out;
  for (const audit::Unread& u : report.unread) out.emplace_back(u.path, u.why);
  return out;
}

// One refusal for many files that are refused alike: a read-only environment, a git checkout.
void merge_alike(std::vector<Error>& refusals) {
  std::vector<Error> out;
  std::vector<std::size_t> more;
  for (Error& e : refusals) {
    auto same = std::ranges::find_if(out, [&](const Error& o) {
      return o.code == e.code && o.what == e.what && o.next == e.next;
    });
    if (same == out.end()) {
      out.push_back(std::move(e));
      more.push_back(0);
    } else {
      ++more[static_cast<std::size_t>(same - out.begin())];
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (more[i] > 0)
      out[i].what += fmt::format("; the same for {}", text::count(more[i], "more file"));
  }
  refusals = std::move(out);
}

class Planner {
 public:
  Planner(Subject& subject, const PlanFlags& flags, Console& console)
      : subject_(subject), flags_(flags), console_(console) {}

  Result<std::vector<PlanView>> run() {
    patch::Request request = flags_.request;
    request.targets = subject_.targets;
    // Lifts that are asked for stand alone, unless sets are named beside them.
    if (!request.lifts.empty() && request.sets.empty() && request.members.empty())
      request.no_sets = true;
    auto sets = patch::choose_sets(subject_.rules.patch_sets, request);
    if (!sets) return std::unexpected(sets.error());
    // --package chooses sets; their needs reach into other packages.
    if (!subject_.options.packages.empty()) {
      const auto& wanted = subject_.options.packages;
      std::erase_if(*sets, [&](const patch::PatchSet* s) {
        return std::ranges::find(wanted, s->package) == wanted.end();
      });
      subject_.options.packages.clear();
    }
    subject_.options.targets = patch::devices_to_judge(*sets, request);
    subject_.options.open_too = true;  // a step whose gates admit its devices is done, not drifted
    std::vector<PlanView> views;
    for (package::Environment& environment : subject_.environments) {
      environment.selected.clear();  // a need may lie outside of what was named
      auto view = plan(environment, *sets, request);
      if (!view) return std::unexpected(view.error());
      views.push_back(std::move(*view));
    }
    return views;
  }

 private:
  Result<PlanView> plan(const package::Environment& environment,
                        const std::vector<const patch::PatchSet*>& sets,
                        const patch::Request& request) {
    if (auto status = recover_roots(roots_of(environment), flags_.force, console_); !status)
      return std::unexpected(status.error());
    PlanView view;
    view.environment = &environment;
    view.targets = request.targets;
    auto audited = run_audit(subject_, environment, flags_);
    if (!audited) return std::unexpected(audited.error());
    view.audit = std::move(*audited);
    patch::Ground ground{environment, view.audit.gates,
                         [&](std::uint32_t site, const std::string& path) {
                           return load_from_disk(environment, site, path);
                         },
                         subject_.rules.patch_sets, caches()};
    auto resolved = patch::resolve(sets, request, ground);
    if (!resolved) return std::unexpected(resolved.error());
    view.resolution = std::move(*resolved);
    view.refusals = view.resolution.refusals;
    if (auto status = check(view); !status) return std::unexpected(status.error());
    look_around(view);
    return view;
  }

  std::map<std::string, std::vector<patch::CacheRule>> caches() const {
    std::map<std::string, std::vector<patch::CacheRule>> out;
    for (const rules::PackageFile& file : subject_.rules.packages)
      out[file.rules.package] = file.caches;
    return out;
  }

  // The edited texts, audited as if they were written; and whether they could be.
  Status check(PlanView& view) {
    if (view.empty()) return {};
    audit::Overlay overlay;
    for (const patch::Plan& plan : view.resolution.plans) {
      for (const patch::FileChange& change : plan.files) overlay[change.path] = change.after;
    }
    auto again = run_audit(subject_, *view.environment, flags_, &overlay);
    if (!again) return std::unexpected(again.error());
    view.check = patch::check_lift(view.audit.gates, again->gates, view.resolution.openings,
                                   view.resolution.edits, unread_of(view.audit), unread_of(*again));
    for (const patch::LiftProblem& p : view.check.problems) {
      view.refusals.push_back({ErrorCode::does_not_fit,
                               "the edits do not do what they should: " + p.what,
                               p.where,
                               {}});
    }
    for (const patch::Plan& plan : view.resolution.plans) {
      auto checked = patch::check(plan, flags_.force);
      if (!checked) return std::unexpected(checked.error());
      std::ranges::move(checked->refusals, std::back_inserter(view.refusals));
    }
    merge_alike(view.refusals);
    return {};
  }

  // What would hide the edits, or not see them.
  void look_around(PlanView& view) {
    name_runs(view);
    if (view.empty()) return;
    view.proof = known_proof(view.resolution.plans, subject_.rules.proofs);
    view.unproved.push_back(proof_sentence(view.proof));
    for (const patch::SetOutcome& set : view.resolution.sets) {
      bool applies = set.state == patch::state::applies;
      if (applies) std::ranges::copy(set.set->unproved, std::back_inserter(view.unproved));
    }
    for (const patch::StepOutcome& lift : view.resolution.lifts) name_set(view, lift);
    std::vector<std::string> modules, folders;
    for (const patch::Plan& plan : view.resolution.plans) {
      view.roots.push_back(root(plan));
      for (const patch::CacheRule& rule : plan.caches) {
        modules.insert(modules.end(), rule.modules.begin(), rule.modules.end());
        std::ranges::move(patch::expanded_bases(rule, patch::process_variables()),
                          std::back_inserter(folders));
      }
      for (const patch::FileChange& change : plan.files) {
        add_copies(view, change);
        folders.push_back(change.site + '/' + change.path.substr(0, change.path.find('/')));
        folders.push_back(change.site);
      }
    }
    view.prebuilt = patch::find_prebuilt(*view.environment, prebuilt_rules(), modules);
    std::ranges::sort(folders);
    folders.erase(std::ranges::unique(folders).begin(), folders.end());
    view.processes = patch::find_processes(folders);
  }

  // A lift opens a gate; what else a patch set would have edited is not done.
  void name_set(PlanView& view, const patch::StepOutcome& lift) const {
    if (lift.openings.empty()) return;
    const gate::Gate& gate = *lift.openings.front().gate;
    const patch::PatchSet* set = patch::set_for(subject_.rules.patch_sets, gate);
    bool taken =
        set != nullptr && std::ranges::find(view.resolution.sets, set, &patch::SetOutcome::set) !=
                              view.resolution.sets.end();
    if (set == nullptr || taken) return;
    std::string said = fmt::format(
        "Lifts open gates and mend nothing: the patch set {} makes edits beside them.", set->id);
    if (std::ranges::find(view.unproved, said) == view.unproved.end())
      view.unproved.push_back(std::move(said));
  }

  static void name_runs(PlanView& view) {
    for (const std::string& root : roots_of(*view.environment)) {
      auto journal = patch::Journal::read(root);
      if (!journal) continue;
      for (const patch::Run& run : journal->runs()) {
        for (const patch::PlanStep& step : run.steps) {
          if (run.stands()) view.applied_by[step.set] = run.id;
        }
      }
    }
  }

  report::RootView root(const patch::Plan& plan) const {
    report::RootView out;
    std::vector<patch::FileRef> files;
    for (const patch::FileChange& c : plan.files) files.push_back({c.site, c.path});
    out.stale =
        patch::find_by_products(files, plan.caches, patch::process_variables(), patch::now_ns());
    out.clears = flags_.clear_caches.value_or(package::is_environment(plan.root));
    return out;
  }

  std::vector<patch::PrebuiltRule> prebuilt_rules() const {
    std::vector<patch::PrebuiltRule> out;
    for (const rules::PackageFile& file : subject_.rules.packages)
      std::ranges::copy(file.prebuilt, std::back_inserter(out));
    return out;
  }

  static void add_copies(PlanView& view, const patch::FileChange& change) {
    std::string name = change.path.substr(0, change.path.find('/'));
    if (std::ranges::find(view.copies, name, &report::CopiesView::name) != view.copies.end())
      return;
    report::CopiesView out{name, change.site + '/' + name, {}, false};
    bool before = true;
    for (const package::Copy& copy : package::copies_of(*view.environment, name)) {
      if (copy.path == out.edited) {
        before = false;
        continue;
      }
      out.others.push_back(copy.path);
      out.shadowed = out.shadowed || before;
    }
    if (!out.others.empty()) view.copies.push_back(std::move(out));
  }

  Subject& subject_;
  const PlanFlags& flags_;
  Console& console_;
};

}  // namespace

void declare(CLI::App& app, PlanFlags& flags) {
  declare(app, static_cast<AnalysisFlags&>(flags));
  declare_taking(app, flags);
  declare_writing(
      app, flags.force, flags.clear_caches,
      "Write into a git checkout, and over files that were edited since they were installed.");
}

void declare_taking(CLI::App& app, PlanFlags& flags) {
  repeatable(app, "--set", flags.request.sets,
             "Take this patch set; without it, all that are for the target.", "ID");
  declare_switch(
      app, "--only-lifts", flags.request.no_sets,
      "Take no patch set. So it is anyway if there is a --lift and no --set or --member.")
      ->group(kTake);
  repeatable(app, "--member", flags.request.members,
             "Take a member of a patch set that is off by default: NAME or SET:NAME.", "NAME");
  repeatable(app, "--no-member", flags.request.without, "Leave out a member that is on by default.",
             "NAME");
  repeatable(app, "--lift", flags.request.lifts,
             "Lift this gate (its id, or PATH:LINE); what it needs must be taken as well.", "ID");
  declare_switch(
      app, "--allow-unknown", flags.request.lift_unknown,
      "Lift gates although it is not known whether what is behind them runs on the target.")
      ->group(kTake);
}

void declare_writing(CLI::App& app, bool& force, std::optional<bool>& clear_caches,
                     const std::string& force_help) {
  declare_switch(app, "--force", force, force_help)->group(kWrite);
  // Bound as a function: an optional<bool> would be taken for a counter, which begins as 0.
  auto set = [&clear_caches](std::int64_t given) { clear_caches = given > 0; };
  app.add_flag_function("--clear-caches,!--no-clear-caches", set,
                        "Clear .pyc files and JIT caches of what was edited. The default: if the "
                        "packages lie in an environment, "
                        "not if in a plain folder.")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->group(kWrite);
}

std::vector<std::string> roots_of(const package::Environment& environment) {
  std::vector<std::string> out;
  for (const package::Site& site : environment.sites) {
    if (std::ranges::find(out, site.root) == out.end()) out.push_back(site.root);
  }
  return out;
}

Status recover_roots(const std::vector<std::string>& roots, bool force, Console& console) {
  for (const std::string& root : roots) {
    patch::RecoverOptions options;
    options.force = force;
    auto recovered = patch::recover(root, options, console);
    if (!recovered) return std::unexpected(recovered.error());
    for (const patch::Recovered& r : recovered->runs) {
      const char* what = r.how == patch::Recovered::How::completed
                             ? "had written all of its files, and stands now"
                         : r.how == patch::Recovered::How::undone ? "was taken back"
                                                                  : "was reverted to its end";
      console.note(fmt::format("run {}, which was interrupted, {} ({})", r.run, what, root));
    }
  }
  return {};
}

Result<std::vector<PlanView>> make_plans(Subject& subject, const PlanFlags& flags,
                                         Console& console) {
  return Planner(subject, flags, console).run();
}

}  // namespace ungate::cli
