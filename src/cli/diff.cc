// ungate diff
#include <algorithm>
#include <set>

#include "audit/compare.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/ignoring.h"
#include "cli/version.h"
#include "package/folder.h"
#include "report/diff.h"

namespace ungate::cli {
namespace {

struct Flags : AnalysisFlags {
  std::string a, b;
  bool full = false, exit_zero = false;
  IgnoreFlags ignore;
};

bool is_report(const std::string& path) {
  return audit::is_saved_report(path) && package::is_file(path);
}

// An audit of a path, or the report that it is.
Result<audit::Records> records_of(const std::string& path, const AnalysisFlags& flags,
                                  Console& console) {
  if (is_report(path)) return audit::load_records(path);
  AnalysisFlags asked = flags;
  asked.environment = {};
  asked.environment.paths = {path};
  auto subject = find_subject(asked, console);
  if (!subject) return std::unexpected(subject.error());
  (*subject)->options.open_too = true;
  audit::Records out;
  out.name = path;
  for (arch::Device d : (*subject)->targets) out.targets.push_back(d.name());
  for (const package::Environment& environment : (*subject)->environments) {
    auto report = run_audit(**subject, environment, asked);
    if (!report) return std::unexpected(report.error());
    audit::add_records(*report, out);
  }
  return out;
}

// Without --target those of the reports, if both sides are reports.
Result<std::vector<std::string>> targets_of(const Flags& flags, const audit::Records& a,
                                            const audit::Records& b) {
  std::vector<std::string> out;
  if (flags.target.targets.empty() && is_report(flags.a)) {
    std::ranges::copy_if(a.targets, std::back_inserter(out), [&](const std::string& t) {
      return std::ranges::find(b.targets, t) != b.targets.end();
    });
    if (out.empty())
      return fail(ErrorCode::usage, "the two were not asked about the same targets", flags.b);
    return out;
  }
  auto targets = find_targets(flags.target);
  if (!targets) return std::unexpected(targets.error());
  for (arch::Device d : *targets) {
    for (const audit::Records* side : {&a, &b}) {
      if (std::ranges::find(side->targets, d.name()) == side->targets.end())
        return fail(ErrorCode::usage, "the report was not asked about " + d.name(), side->name);
    }
    out.push_back(d.name());
  }
  return out;
}

Result<Exit> run(Flags flags, Console& console) {
  auto ignored = load_ignored(flags.ignore, console);
  if (!ignored) return std::unexpected(ignored.error());
  // A report knows its targets: the other side is asked about the same.
  for (const auto& [report, other] : {std::pair(flags.a, flags.b), std::pair(flags.b, flags.a)}) {
    if (!flags.target.targets.empty() || !is_report(report) || is_report(other)) continue;
    auto records = audit::load_records(report);
    if (!records) return std::unexpected(records.error());
    flags.target.targets = records->targets;
  }
  auto a = records_of(flags.a, flags, console);
  if (!a) return std::unexpected(a.error());
  auto b = records_of(flags.b, flags, console);
  if (!b) return std::unexpected(b.error());
  auto targets = targets_of(flags, *a, *b);
  if (!targets) return std::unexpected(targets.error());
  report::DiffView view{&*a, &*b, {}};
  bool worse = false;
  for (const std::string& target : *targets) {
    view.targets.push_back({target, audit::compare(*a, *b, target)});
    view.suppressed += std::erase_if(
        view.targets.back().comparison.gates,
        [&](const audit::Difference& d) { return ignored->suppressions.cover(d.record()); });
    worse = worse || audit::is_worse(view.targets.back().comparison);
  }
  auto status = console.show([&](const Look& look) {
    report::DiffStyle style{flags.full, look.colour, look.width, kVersion};
    if (look.format == Format::json) return report::diff_json(view, style);
    if (look.format == Format::concise) return report::diff_concise(view, style);
    return report::diff_human(view, style);
  });
  if (!status) return std::unexpected(status.error());
  return worse && !flags.exit_zero ? Exit::findings : Exit::ok;
}

}  // namespace

Command diff_command(CLI::App& top) {
  CLI::App* app = top.add_subcommand(
      "diff", "What B shuts out, lets in and holds code for, other than A.");
  app->group(kLook);
  app->footer(
      "Examples:\n"
      "  ungate diff flashinfer_python-0.6.3-py3-none-any.whl flashinfer_python-0.6.18-py3-none-any.whl "
      "--target sm_120\n"
      "  ungate diff audit.json .venv\n"
      "  ungate diff old-venv new-venv --target sm_120 --package vllm\n"
      "\n"
      "Exit status 1: the target fares worse with B: a gate was closed or added, or code that it could load "
      "was dropped.");
  auto output = std::make_shared<OutputFlags>();
  auto flags = std::make_shared<Flags>();
  flags->archives = true;
  constexpr const char* kSide =
      "An environment, folder, package, wheel, tar file or image, or the report of an audit (.json, .jsonl).";
  app->add_option("A", flags->a, kSide)->required();
  app->add_option("B", flags->b, kSide)->required();
  declare_shared(*app, *flags);
  declare(*app, flags->ignore, false);
  declare_switch(*app, "--full", flags->full,
                 "Also gates that were removed, and those that differ in effect or verdict alone (human).")
      ->group("What to report");
  declare_switch(*app, "--exit-zero", flags->exit_zero, "Exit with 0 whatever differs.")
      ->group("What to report");
  declare(*app, *output, {Format::human, Format::concise, Format::json});
  return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace ungate::cli
