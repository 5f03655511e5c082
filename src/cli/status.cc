// ungate status
#include "patch/status.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/version.h"
#include "report/words.h"

namespace ungate::cli {
namespace {

struct Flags {
  EnvironmentFlags environment;
  unsigned threads = 0;
  bool all = false;
};

struct RootStatus {
  std::string root;
  patch::StatusReport report;
};

std::string_view name_of_kind(package::Mismatch::Kind kind) {
  switch (kind) {
    case package::Mismatch::Kind::missing:
      return "missing";
    case package::Mismatch::Kind::changed:
      return "changed";
    case package::Mismatch::Kind::unreadable:
      return "unreadable";
  }
  return "";
}

// "flashinfer-python 0.6.3, sglang 0.5.8": the packages that a run wrote in.
std::string packages_of(const patch::Run& run) {
  std::vector<std::string> names;
  for (const patch::RunFile& f : run.files) {
    std::string name = f.package.empty() ? "(no package)" : f.package + ' ' + f.version;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return text::join(names, ", ");
}

class Text {
 public:
  Text(const Look& look, bool all)
      : paint_(look.colour), width_(static_cast<std::size_t>(look.width)), all_(all) {}

  std::string of(const std::vector<RootStatus>& roots) {
    for (const RootStatus& r : roots) root(r);
    return std::move(out_);
  }

 private:
  void root(const RootStatus& r) {
    if (!out_.empty()) out_ += '\n';
    out_ += paint_.bold(text::escape(r.root)) + '\n';
    if (r.report.writer)
      out_ += fmt::format("  process {} writes here at the moment\n", *r.report.writer);
    bool any = false;
    for (const patch::RunStatus& s : r.report.runs) {
      if (s.condition == patch::RunCondition::ended && !all_) continue;
      any = true;
      run(s);
    }
    if (!any) out_ += "  nothing is applied here\n";
    if (r.report.torn_journal)
      out_ += "  the last line of the journal is not whole: a writer was killed\n";
    for (const std::string& path : r.report.left_overs) {
      out_ += "  left over: " + text::escape(path) +
              "; the next `ungate apply` or `ungate revert` removes it\n";
    }
    mismatches(r.report);
  }

  void run(const patch::RunStatus& s) {
    std::string condition(patch::name_of(s.condition));
    bool fine =
        s.condition == patch::RunCondition::as_applied || s.condition == patch::RunCondition::ended;
    out_ += fmt::format("  run {}  {}  for {}  {}: ", s.run.id, s.run.time, s.run.target,
                        text::count(s.run.files.size(), "file"));
    out_ += (fine ? paint_.green(condition) : paint_.red(condition)) + '\n';
    out_ += report::wrapped(text::escape(packages_of(s.run)), 4, width_);
    if (!s.why.empty()) out_ += report::wrapped(text::escape(s.why), 4, width_);
    std::set<std::string> sets;
    for (const patch::PlanStep& step : s.run.steps) sets.insert(step.set);
    for (const std::string& set : sets) out_ += "    " + text::escape(set) + '\n';
    for (const patch::FileCondition& f : s.files) {
      out_ += fmt::format("    {:<12}{}{}\n", patch::name_of(f.state), text::escape(f.path),
                          f.why.empty() ? "" : text::escape(": " + f.why));
    }
    for (const patch::CacheFolder& c : s.caches) {
      out_ += fmt::format(
          "    {:<12}{}: {}\n", c.stale ? "stale cache" : "cache", text::escape(c.path()),
          c.problem.empty() ? text::count(c.files, "file") : text::escape(c.problem));
    }
  }

  void mismatches(const patch::StatusReport& report) {
    bool first = true;
    for (const patch::RecordMismatch& m : report.mismatches) {
      if (!m.run.empty()) continue;  // ours, and told above
      if (std::exchange(first, false)) out_ += "  not as RECORD says, and not by ungate:\n";
      out_ += fmt::format("    {:<12}{} ({} {})\n", name_of_kind(m.kind), text::escape(m.path),
                          text::escape(m.package), text::escape(m.version));
    }
  }

  report::Paint paint_;
  std::size_t width_;
  bool all_;
  std::string out_;
};

void write_run(JsonWriter& w, const patch::RunStatus& s) {
  w.begin_object().field("run", s.run.id).field("time", s.run.time).field("target", s.run.target);
  w.field("state", patch::name_of(s.run.state))
      .field("condition", patch::name_of(s.condition))
      .string_or_null("why", s.why);
  w.key("steps").begin_array();
  for (const patch::PlanStep& step : s.run.steps) {
    w.begin_object().field("set", step.set).field("id", step.id).field("package", step.package);
    w.field("version", step.version)
        .field("state", step.state)
        .string_or_null("detail", step.detail)
        .end_object();
  }
  w.end_array().key("files").begin_array();
  for (const patch::FileCondition& f : s.files) {
    w.begin_object()
        .field("site", f.site)
        .field("path", f.path)
        .field("state", patch::name_of(f.state));
    w.string_or_null("why", f.why).string_or_null("sha256", f.sha256).end_object();
  }
  w.end_array().key("caches").begin_array();
  for (const patch::CacheFolder& c : s.caches) {
    w.begin_object()
        .field("path", c.path())
        .field("files", c.files)
        .field("bytes", c.bytes)
        .field("stale", c.stale);
    w.string_or_null("problem", c.problem).end_object();
  }
  w.end_array().end_object();
}

std::string document(const std::vector<RootStatus>& roots) {
  JsonWriter w(2);
  w.begin_object()
      .field("schema", "ungate-status")
      .field("version", 1)
      .field("tool", kVersion)
      .key("roots")
      .begin_array();
  for (const RootStatus& r : roots) {
    w.begin_object().field("root", r.root).field("differs", r.report.differs());
    w.key("runs").begin_array();
    for (const patch::RunStatus& s : r.report.runs) write_run(w, s);
    w.end_array().key("mismatches").begin_array();
    for (const patch::RecordMismatch& m : r.report.mismatches) {
      w.begin_object()
          .field("site", m.site)
          .field("path", m.path)
          .field("package", m.package)
          .field("version", m.version);
      w.field("kind", name_of_kind(m.kind)).string_or_null("run", m.run).end_object();
    }
    w.end_array().key("left_overs").begin_array();
    for (const std::string& path : r.report.left_overs) w.string(path);
    w.end_array().key("writer");
    if (r.report.writer)
      w.number(*r.report.writer);
    else
      w.null();
    w.field("torn_journal", r.report.torn_journal).end_object();
  }
  w.end_array().key("errors").begin_array().end_array().end_object();
  return w.take() + '\n';
}

Result<Exit> run(const Flags& flags, Console& console) {
  auto environments = find_environments(flags.environment);
  if (!environments) return std::unexpected(environments.error());
  std::vector<RootStatus> roots;
  for (const package::Environment& environment : *environments) {
    for (const package::Site& site : environment.sites) {
      if (std::ranges::find(roots, site.root, &RootStatus::root) != roots.end()) continue;
      auto report = patch::status(site.root, patch::process_variables(), flags.threads);
      if (!report) return std::unexpected(report.error());
      roots.push_back({site.root, std::move(*report)});
    }
  }
  // Roots where nothing ever happened are only of interest if there is no other.
  auto quiet = [](const RootStatus& r) {
    return r.report.runs.empty() && r.report.left_overs.empty() && !r.report.writer;
  };
  if (!std::ranges::all_of(roots, quiet)) {
    std::erase_if(roots, quiet);
  } else if (roots.size() > 1) {
    roots.resize(1);
  }
  bool differs = std::ranges::any_of(roots, [](const RootStatus& r) { return r.report.differs(); });
  auto status = console.show([&](const Look& look) {
    return look.format == Format::json ? document(roots) : Text(look, flags.all).of(roots);
  });
  if (!status) return std::unexpected(status.error());
  return differs ? Exit::drift : Exit::ok;
}

}  // namespace

Command status_command(CLI::App& top) {
  CLI::App* app =
      top.add_subcommand("status", "What was applied, and what has become of it. Reads only.");
  app->group(kLook);
  app->footer(
      "Examples:\n"
      "  ungate status .venv\n"
      "\n"
      "Exit status 3: a run is not as it was applied (drifted, superseded, interrupted), or a file "
      "of a\n"
      "touched package holds bytes that neither the package nor a run brought.");
  auto output = std::make_shared<OutputFlags>();
  auto flags = std::make_shared<Flags>();
  declare(*app, flags->environment);
  declare_switch(*app, "--all", flags->all, "Also runs that were reverted or undone.")
      ->group("What to report");
  app->add_option("-j,--threads", flags->threads, "How many threads read files; 0: one a core.")
      ->type_name("N")
      ->group("What to report");
  declare(*app, *output, {Format::human, Format::json});
  return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace ungate::cli
