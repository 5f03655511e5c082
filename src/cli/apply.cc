// ungate apply
#include "patch/apply.h"

#include <fmt/core.h>
#include <CLI/Option.hpp>

#include <algorithm>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/known_proof.h"
#include "cli/command.h"
#include "cli/planning.h"
#include "cli/version.h"
#include "cli/written.h"

namespace ungate::cli {
namespace {

struct Flags : PlanFlags {
  std::string plan;  // a file
  bool dry_run = false;
  bool require_proof = false;
};

// What became of one plan.
struct Applied {
  patch::Plan plan;
  patch::ApplyReport report;
};

struct Outcome {
  std::vector<Applied> applied;
  std::vector<report::PlanView> views;  // of plans that were made here
  std::optional<prove::ProofRecord> proof;  // of the very edits
  Result<Exit> result = Exit::ok;
};

std::vector<patch::FileRef> files_of(const patch::Plan& plan) {
  std::vector<patch::FileRef> out;
  for (const patch::FileChange& c : plan.files) out.push_back({c.site, c.path});
  return out;
}

class Text {
 public:
  explicit Text(const Look& look)
      : paint_(look.colour), width_(static_cast<std::size_t>(look.width)) {}

  std::string of(const Outcome& outcome) {
    for (const report::PlanView& view : outcome.views) {
      if (view.empty()) nothing_to_do(view);
    }
    for (const Applied& a : outcome.applied) one(a);
    for (const report::PlanView& view : outcome.views) {
      if (!view.empty()) around(view);
    }
    if (out_.empty()) out_ = "Nothing was written: the plan is empty.\n";
    return std::move(out_);
  }

 private:
  void nothing_to_do(const report::PlanView& view) {
    out_ += "Nothing was written, for there is nothing to do.\n";
    for (const patch::SetOutcome& set : view.resolution.sets) {
      auto run = view.applied_by.find(set.set->id);
      std::string why = set.state;
      if (set.state == patch::state::superseded) why = "superseded: the package has it";
      if (set.state == patch::state::already_admitted)
        why = "there already" +
              (run == view.applied_by.end() ? std::string() : ", by run " + run->second);
      if (set.state == patch::state::not_installed) why = "not for what is installed";
      out_ += "  " + set.set->id + ": " + why + '\n';
    }
    for (const patch::StepOutcome& s : view.resolution.lifts)
      out_ += "  " + s.record.id + ": " + s.record.detail + '\n';
  }

  void one(const Applied& a) {
    if (!a.report.changed()) {
      out_ += "Nothing was written in " + text::escape(a.plan.root) + ": " +
              (a.report.unchanged.empty()
                   ? "the plan is empty.\n"
                   : text::count(a.report.unchanged.size(), "file holds", "files hold") +
                         " what the plan wants already.\n");
      return;
    }
    std::size_t edits = 0;
    for (const patch::FileChange& c : a.plan.files) edits += c.edits.size();
    out_ += paint_.bold("Applied") +
            fmt::format(" as run {} in {}: {} in {}, for {}\n", a.report.run,
                        text::escape(a.plan.root), text::count(edits, "edit"),
                        text::count(a.report.written.size(), "file"), a.plan.target);
    for (const std::string& path : a.report.written) out_ += "  wrote " + text::escape(path) + '\n';
    for (const std::string& path : a.report.unchanged)
      out_ += "  as wanted already: " + text::escape(path) + '\n';
    out_ += by_products_text(a.report.by_products);
    out_ += processes_text(files_of(a.plan), a.plan.caches);
    out_ +=
        "  undo: ungate revert " + a.report.run + " --prefix " + text::escape(a.plan.root) + '\n';
  }

  void around(const report::PlanView& view) {
    for (const patch::Prebuilt& p : view.prebuilt)
      out_ +=
          "  prebuilt, and loaded instead of the edited sources: " + text::escape(p.path) + '\n';
    for (const report::CopiesView& c : view.copies) {
      for (const std::string& path : c.others) {
        out_ += "  another copy of " + c.name +
                (c.shadowed ? ", imported before the edited one: " : ", not edited: ") +
                text::escape(path) + '\n';
      }
    }
    out_ += paint_.bold(view.proof && view.proof->proved ? "What is proved, and what is not" : "Not proven yet") + '\n';
    for (const std::string& s : view.unproved) out_ += report::wrapped(s, 2, width_);
  }

  report::Paint paint_;
  std::size_t width_;
  std::string out_;
};

std::string json(const Outcome& outcome) {
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-apply").field("version", 1).field("tool", kVersion);
  w.key("runs").begin_array();
  for (const Applied& a : outcome.applied) {
    w.begin_object()
        .field("root", a.plan.root)
        .field("target", a.plan.target)
        .field("changed", a.report.changed());
    w.string_or_null("run", a.report.run);
    w.texts("written", a.report.written);
    w.texts("unchanged", a.report.unchanged);
    write_by_products(w, a.report.by_products);
    w.end_object();
  }
  w.end_array().key("sets").begin_array();
  for (const report::PlanView& view : outcome.views) {
    for (const patch::SetOutcome& set : view.resolution.sets) {
      auto run = view.applied_by.find(set.set->id);
      w.begin_object().field("id", set.set->id).field("state", set.state);
      w.string_or_null("applied_by", run == view.applied_by.end() ? std::string() : run->second)
          .end_object();
    }
  }
  bool proved = outcome.proof && outcome.proof->proved;
  w.end_array().field("proved", proved).key("errors").begin_array();
  if (!outcome.result) write_error(w, outcome.result.error());
  w.end_array().end_object();
  return w.take() + '\n';
}

// All refusals on stderr, and the first as what the command ends with.
std::unexpected<Error> refuse(const std::vector<Error>& refusals, Console& console) {
  for (std::size_t i = 1; i < refusals.size(); ++i)
    console.print("ungate: " + to_text(refusals[i]) + '\n');
  Error first = refusals.front();
  if (first.next.empty()) first.next = "nothing was written; `ungate plan` shows the whole";
  return std::unexpected(first);
}

Result<std::vector<patch::Plan>> read_plans(const Flags& flags, Console& console) {
  auto text = read_file(flags.plan, 64u << 20);
  if (!text) return std::unexpected(text.error());
  std::string root;
  if (!flags.environment.paths.empty() || !flags.environment.prefix.empty() ||
      !flags.environment.python.empty()) {
    auto environments = find_environments(flags.environment);
    if (!environments) return std::unexpected(environments.error());
    std::vector<std::string> roots = roots_of(environments->front());
    if (environments->size() != 1)
      return fail(ErrorCode::usage, "a plan is for one environment", "--plan");
    root = roots.front();
  }
  auto plans = patch::plans_from_json(text->bytes, flags.plan, root);
  if (!plans) return plans;
  std::vector<std::string> roots;
  for (const patch::Plan& plan : *plans) roots.push_back(plan.root);
  if (auto status = recover_roots(roots, flags.force, console); !status)
    return std::unexpected(status.error());
  return plans;
}

// Writes the plans one after the other; what was written before an error stays and is reported.
void write(std::vector<patch::Plan> plans, const Flags& flags, Console& console, Outcome& outcome) {
  for (patch::Plan& plan : plans) {
    patch::ApplyOptions options;
    options.force = flags.force;
    options.clear_caches = flags.clear_caches;
    options.cancel = &console.cancelled();
    auto report = patch::apply(plan, options, console);
    if (!report) {
      outcome.result = std::unexpected(report.error());
      return;
    }
    outcome.applied.push_back({std::move(plan), std::move(*report)});
  }
}

Result<Exit> run(const Flags& flags, Console& console) {
  if (flags.dry_run) return show_plans(flags, console);
  Outcome outcome;
  std::unique_ptr<Subject> subject;
  std::vector<patch::Plan> plans;
  std::vector<rules::RuleFile> recorded;
  if (!flags.plan.empty()) {
    auto rules = rules::load_rules(flags.rules);
    if (!rules) return std::unexpected(rules.error());
    recorded = std::move(rules->proofs);
    auto read = read_plans(flags, console);
    if (!read) return std::unexpected(read.error());
    plans = std::move(*read);
  } else {
    auto found = find_subject(flags, console);
    if (!found) return std::unexpected(found.error());
    subject = std::move(*found);
    recorded = subject->rules.proofs;
    auto views = make_plans(*subject, flags, console);
    if (!views) return std::unexpected(views.error());
    outcome.views = std::move(*views);
    for (const report::PlanView& view : outcome.views) {
      if (!view.refusals.empty()) return refuse(view.refusals, console);
      std::ranges::copy(view.resolution.plans, std::back_inserter(plans));
    }
  }
  outcome.proof = known_proof(plans, recorded);
  if (flags.require_proof && !plans.empty()) {
    if (auto status = require_proof(outcome.proof); !status) return std::unexpected(status.error());
  }
  write(std::move(plans), flags, console, outcome);
  // Nothing came of it: the error alone says so.
  if (!outcome.result && outcome.applied.empty()) return outcome.result;
  auto show = [&](const Look& look) {
    return look.format == Format::json ? json(outcome) : Text(look).of(outcome);
  };
  if (auto status = console.show(show); !status) return std::unexpected(status.error());
  return outcome.result;
}

}  // namespace

Command apply_command(CLI::App& top) {
  CLI::App* app =
      top.add_subcommand("apply", "Write what plan shows, with a journal: all of it or nothing.");
  app->group(kChange);
  app->footer(
      "Examples:\n"
      "  ungate apply .venv --target sm_120\n"
      "  ungate apply .venv --target sm_120 --member auto\n"
      "  ungate apply --plan plan.json\n"
      "\n"
      "Exit status 0: written, or nothing to do. 3: something does not fit, or may not be "
      "written;\n"
      "then nothing was. `ungate revert` gives the exact bytes back.");
  auto output = std::make_shared<OutputFlags>();
  auto flags = std::make_shared<Flags>();
  declare(*app, static_cast<PlanFlags&>(*flags));
  app->add_option("--plan", flags->plan,
                  "Write this plan, as `ungate plan` saved it. A PATH says for which copy of the "
                  "environment.")
      ->type_name("FILE")
      ->group("What to take");
  declare_switch(*app, "--dry-run", flags->dry_run,
                 "Show the plan, as `ungate plan` does, and write nothing.")
      ->group("How to write");
  declare_switch(*app, "--require-proof", flags->require_proof,
                 "Write nothing unless `ungate prove` has proved these very edits (exit status 4).")
      ->group("How to write");
  declare(*app, *output, {Format::human, Format::json});
  return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace ungate::cli
