// ungate revert
#include "patch/revert.h"

#include <fmt/core.h>
#include <CLI/Option.hpp>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/planning.h"
#include "cli/version.h"
#include "cli/written.h"
#include "package/folder.h"

namespace ungate::cli {
namespace {

struct Flags {
  EnvironmentFlags environment;
  std::vector<std::string> runs;
  bool all = false, force = false;
  std::optional<bool> clear_caches;
};

struct Reverted {
  std::string root;
  patch::RevertReport report;
};

// Which runs of which root are meant.
struct Wanted {
  std::string root;
  std::vector<std::string> runs;
};

std::string text_of(const std::vector<Reverted>& reverted, const Look& look) {
  report::Paint paint(look.colour);
  std::string out;
  for (const Reverted& r : reverted) {
    for (const patch::RevertedRun& run : r.report.runs) {
      out += paint.bold("Reverted") + fmt::format(" run {} in {}: {} hold the bytes from before\n",
                                                  run.run, text::escape(r.root),
                                                  text::count(run.restored.size(), "file"));
      for (const std::string& path : run.restored) out += "  restored " + text::escape(path) + '\n';
      for (const patch::FileCondition& c : run.left_alone) {
        out += "  left alone: " + text::escape(c.site + '/' + c.path) + " (" +
               std::string(name_of(c.state)) + (c.why.empty() ? "" : ": " + text::escape(c.why)) +
               ")\n";
      }
      out += by_products_text(run.by_products);
    }
  }
  return out.empty() ? "Nothing was reverted: nothing is applied here.\n" : out;
}

std::string json(const std::vector<Reverted>& reverted) {
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-revert").field("version", 1).field("tool", kVersion);
  w.key("runs").begin_array();
  for (const Reverted& r : reverted) {
    for (const patch::RevertedRun& run : r.report.runs) {
      w.begin_object().field("root", r.root).field("run", run.run);
      w.texts("restored", run.restored);
      w.key("left_alone").begin_array();
      for (const patch::FileCondition& c : run.left_alone) {
        w.begin_object()
            .field("path", c.site + '/' + c.path)
            .field("state", name_of(c.state))
            .field("why", c.why)
            .end_object();
      }
      w.end_array();
      write_by_products(w, run.by_products);
      w.end_object();
    }
  }
  w.end_array().key("errors").begin_array().end_array().end_object();
  return w.take() + '\n';
}

struct Standing {
  std::string root;
  patch::Run run;
};

Result<std::vector<Standing>> standing_in(const std::vector<std::string>& roots) {
  std::vector<Standing> out;
  for (const std::string& root : roots) {
    auto journal = patch::Journal::read(root);
    if (!journal) return std::unexpected(journal.error());
    auto runs = patch::standing_runs(*journal, {});
    if (!runs) return std::unexpected(runs.error());
    for (patch::Run& run : *runs) out.push_back({root, std::move(run)});
  }
  return out;
}

std::string listed(const std::vector<Standing>& standing) {
  std::vector<std::string> names;
  for (const Standing& s : standing) names.push_back(fmt::format("{} ({})", s.run.id, s.run.time));
  return text::join(names, ", ");
}

// The run that a text means: an id, or the beginning of one.
Result<const Standing*> find(const std::vector<Standing>& standing, const std::string& text) {
  const Standing* found = nullptr;
  for (const Standing& s : standing) {
    if (s.run.id == text) return &s;
    if (!s.run.id.starts_with(text)) continue;
    if (found != nullptr)
      return fail(ErrorCode::not_found, fmt::format("several runs begin with '{}'", text), {},
                  "runs: " + listed(standing));
    found = &s;
  }
  if (found != nullptr) return found;
  std::string next = standing.empty() ? "nothing is applied here" : "runs: " + listed(standing);
  if (package::exists(text)) next = "an environment is named by --prefix";
  return fail(ErrorCode::not_found, fmt::format("no run '{}' stands here", text), {}, next);
}

// With no run named and not --all, the only one that stands.
Result<std::vector<Wanted>> choose(const std::vector<Standing>& standing, const Flags& flags) {
  std::vector<const Standing*> chosen;
  for (const std::string& text : flags.runs) {
    auto found = find(standing, text);
    if (!found) return std::unexpected(found.error());
    chosen.push_back(*found);
  }
  if (flags.runs.empty()) {
    for (const Standing& s : standing) chosen.push_back(&s);
    if (!flags.all && chosen.size() > 1) {
      return fail(
          ErrorCode::usage,
          fmt::format("{} stand here: {}", text::count(chosen.size(), "run"), listed(standing)), {},
          "name one, or give --all");
    }
  }
  std::vector<Wanted> out;
  for (const Standing* s : chosen) {
    auto wanted = std::ranges::find(out, s->root, &Wanted::root);
    if (wanted == out.end()) wanted = out.insert(out.end(), {s->root, {}});
    wanted->runs.push_back(s->run.id);
  }
  return out;
}

Result<Exit> run(const Flags& flags, Console& console) {
  if (flags.all && !flags.runs.empty())
    return fail(ErrorCode::usage, "--all and a run both say what to revert");
  auto environments = find_environments(flags.environment);
  if (!environments) return std::unexpected(environments.error());
  std::vector<std::string> roots;
  for (const package::Environment& environment : *environments) {
    for (std::string& root : roots_of(environment)) {
      if (std::ranges::find(roots, root) == roots.end()) roots.push_back(std::move(root));
    }
  }
  if (auto status = recover_roots(roots, flags.force, console); !status)
    return std::unexpected(status.error());
  auto standing = standing_in(roots);
  if (!standing) return std::unexpected(standing.error());
  auto wanted = choose(*standing, flags);
  if (!wanted) return std::unexpected(wanted.error());
  std::vector<Reverted> reverted;
  // What was written last goes first: later roots rely on earlier ones.
  for (auto w = wanted->rbegin(); w != wanted->rend(); ++w) {
    patch::RevertOptions options;
    options.force = flags.force;
    options.clear_caches = flags.clear_caches;
    options.cancel = &console.cancelled();
    auto report = patch::revert(w->root, w->runs, options, console);
    if (!report) return std::unexpected(report.error());
    reverted.push_back({w->root, std::move(*report)});
  }
  auto show = [&](const Look& look) {
    return look.format == Format::json ? json(reverted) : text_of(reverted, look);
  };
  if (auto status = console.show(show); !status) return std::unexpected(status.error());
  return Exit::ok;
}

}  // namespace

Command revert_command(CLI::App& top) {
  CLI::App* app =
      top.add_subcommand("revert", "Give files back the exact bytes that they had before a run.");
  app->group(kChange);
  app->footer(
      "Examples:\n"
      "  ungate revert --prefix .venv\n"
      "  ungate revert c41d --prefix .venv\n"
      "  ungate revert --all --prefix .venv\n"
      "\n"
      "Exit status 3: a file was edited since, or another run relies on this one; nothing was "
      "changed.");
  auto output = std::make_shared<OutputFlags>();
  auto flags = std::make_shared<Flags>();
  app->add_option("RUN", flags->runs,
                  "Runs, by their id or the beginning of one. Without any: the one that stands.");
  declare_without_paths(*app, flags->environment);
  declare_switch(*app, "--all", flags->all, "All runs that stand, the newest first.")
      ->group("What to take");
  declare_writing(*app, flags->force, flags->clear_caches,
                  "Also over files that were edited since; what they hold is kept in .ungate.");
  declare(*app, *output, {Format::human, Format::json});
  return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace ungate::cli
