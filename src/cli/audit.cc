// ungate audit
#include <fmt/core.h>
#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "cli/analysis.h"
#include "cli/answers.h"
#include "cli/cache_folder.h"
#include "cli/command.h"
#include "cli/ignoring.h"
#include "cli/shell_word.h"
#include "cli/version.h"
#include "report/report.h"

namespace ungate::cli {
namespace {

struct Flags : AnalysisFlags {
  bool all = false, full = false, absolute = false, matrix = false;
  bool exit_zero = false, stats = false, cache = true;
  std::string cache_folder;
  std::string fail_on = "no";
  std::vector<std::string> layers;
  IgnoreFlags ignore;
};

constexpr const char* kLayers[] = {"python", "cpp", "binary"};

// Which layer a gate belongs to, by its form.
std::string_view layer_of(const gate::Gate& gate) {
  std::string_view form = gate.form;
  return form.starts_with("pp-") ? "cpp" : form.starts_with("binary-") ? "binary" : "python";
}

bool wants_layer(const Flags& flags, std::string_view layer) {
  return flags.layers.empty() || std::ranges::find(flags.layers, layer) != flags.layers.end();
}

// The flags that ask the next command about the same environment in the same world.
std::string repeated(const Flags& flags) {
  const EnvironmentFlags& where = flags.environment;
  std::string out, prefix = where.paths.size() == 1 ? where.paths.front() : where.prefix;
  if (!prefix.empty()) out += " --prefix " + shell_word(prefix);
  if (!where.python.empty()) out += " --python " + shell_word(where.python);
  for (const std::string& a : flags.assume) out += " --assume " + shell_word(a);
  for (const std::string& folder : flags.rules) out += " --rules " + shell_word(folder);
  return out;
}

std::string render(const report::Reports& reports, const Flags& flags, const rules::RuleSet& rules,
                   const std::vector<arch::Device>& asked, const Look& look) {
  report::Style style;
  style.all = flags.all;
  style.full = flags.full;
  // Lines of several environments would look alike.
  style.absolute = flags.absolute || (look.format == Format::concise && reports.size() > 1);
  style.colour = look.colour;
  style.width = look.width;
  style.tool = kVersion;
  style.repeat = repeated(flags);
  for (const patch::PatchSet& set : rules.patch_sets) style.sets.push_back(&set);
  switch (look.format) {
    case Format::json:
      return report::json(reports, style);
    case Format::jsonl:
      return report::jsonl(reports, style);
    case Format::concise:
      return report::concise(reports, style);
    case Format::human:
      break;
  }
  return flags.matrix ? report::matrix(reports, asked, style) : report::human(reports, style);
}

// Only the devices that were asked about count; a matrix judges all.
bool has_findings(const report::Reports& reports, const Flags& flags,
                  const std::vector<arch::Device>& asked) {
  bool unknown_too = flags.fail_on == "unknown";
  auto counts = [&](const gate::Standing& s) {
    if (std::ranges::find(asked, s.device) == asked.end()) return false;
    return s.admits == gate::Admits::no || (unknown_too && s.admits == gate::Admits::unknown);
  };
  return std::ranges::any_of(reports, [&](const audit::Report& r) {
    return std::ranges::any_of(
        r.gates, [&](const gate::Gate& g) { return std::ranges::any_of(g.standings, counts); });
  });
}

std::string statistics(const audit::Report& report) {
  std::string out;
  for (const audit::Report::Stage& s : report.stages)
    out += fmt::format("{:<10} {:8.3f} s\n", s.name, s.seconds);
  const auto& c = report.counts;
  out += fmt::format("files {}, Python {}, C++ and CUDA {}, evaluated {}, guarded {}, modules {}\n",
                     c.seen, c.python, c.cuda, c.evaluated, c.guarded, c.modules);
  std::map<std::string, std::size_t> forms;
  for (const gate::Gate& g : report.gates) ++forms[g.form];
  for (const auto& [form, n] : forms) out += fmt::format("{:<24} {:6}\n", form, n);
  return out;
}

// The flags that a report depends on besides the subject.
std::string question(const Flags& flags) {
  return fmt::format("audit {} {} {} {} {} {} {} {} {}", flags.all, flags.full, flags.absolute, flags.matrix,
                     flags.exit_zero, flags.strict, flags.fail_on, text::join(flags.layers, ","), repeated(flags));
}

Result<Exit> run(const Flags& flags, Console& console) {
  auto ignored = load_ignored(flags.ignore, console);
  if (!ignored) return std::unexpected(ignored.error());
  auto subject = find_subject(flags, console);
  if (!subject) return std::unexpected(subject.error());
  // Statistics are of an audit that took place.
  Answers answers(flags.cache && !flags.stats && !ignored->any ? cache_folder(flags.cache_folder, "answers") : "");
  answers.ask(**subject, question(flags), console.cancelled());
  auto kept = answers.show_kept(console);
  if (!kept) return std::unexpected(kept.error());
  if (*kept) return **kept;
  std::vector<arch::Device> asked = (*subject)->targets;
  (*subject)->options.open_too = flags.all;
  if (flags.matrix) {
    (*subject)->options.targets.clear();
    for (unsigned d : arch::known_devices()) (*subject)->options.targets.emplace_back(d);
  }
  report::Reports reports;
  for (const package::Environment& environment : (*subject)->environments) {
    auto report = run_audit(**subject, environment, flags);
    if (!report) return std::unexpected(report.error());
    std::erase_if(report->gates,
                  [&](const gate::Gate& g) { return !wants_layer(flags, layer_of(g)); });
    leave_out(*report, *ignored);
    if (flags.stats) console.print(statistics(*report));
    reports.push_back(std::move(*report));
  }
  auto show = [&](const Look& look) { return render(reports, flags, (*subject)->rules, asked, look); };
  if (auto status = console.show(show); !status) return std::unexpected(status.error());
  Exit exit = has_findings(reports, flags, asked) && !flags.exit_zero ? Exit::findings : Exit::ok;
  answers.keep(console, exit, show);
  return exit;
}

}  // namespace

Command audit_command(CLI::App& top) {
  CLI::App* app =
      top.add_subcommand("audit", "Find and judge the gates that shut a device out. Reads only.");
  app->group(kLook);
  app->footer(
      "Examples:\n"
      "  ungate audit .venv --target sm_120\n"
      "  ungate audit --package flashinfer-python --matrix --target sm_120,sm_121\n"
      "  ungate audit .venv --target sm_120 --format json -o audit.json --exit-zero\n"
      "  ungate audit vllm-0.15.0-cp38-abi3-manylinux_2_31_x86_64.whl --target sm_120\n"
      "\n"
      "Exit status 1: a gate shuts the target out.");
  auto output = std::make_shared<OutputFlags>();
  auto flags = std::make_shared<Flags>();
  flags->archives = true;
  declare(*app, *flags);
  app->get_option("PATH")->description(
      "Environments, site-packages folders, packages or files in them, source checkouts; wheels, "
      "tar files and images in them. Without any: $VIRTUAL_ENV, then python3 on PATH.");
  app->add_option("--layer", flags->layers,
                  "Only these layers, separated by commas: python, cpp (preprocessor conditions), "
                  "binary (code objects).")
      ->type_name("LAYERS")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kLayers), std::end(kLayers))))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(kWhat);
  declare_switch(*app, "--kernels", flags->kernels,
                 "Look into the code objects: which kernels are missing, empty or only stop the "
                 "program. Reads whole files.")
      ->group(kWhat);
  constexpr const char* kResult = "What to report";
  declare_switch(*app, "--all", flags->all, "Also the gates that admit the target.")
      ->group(kResult);
  declare_switch(*app, "--full", flags->full, "Every gate on a line of its own (human).")
      ->group(kResult);
  declare_switch(*app, "--matrix", flags->matrix, "A table of gates by devices (human); what --target all gives, unless with --full.")
      ->group(kResult);
  declare_switch(*app, "--absolute", flags->absolute, "Full paths.")->group(kResult);
  declare_switch(*app, "--exit-zero", flags->exit_zero, "Exit with 0 although there are findings.")
      ->group(kResult);
  app->add_option("--fail-on", flags->fail_on,
                  "What counts as a finding for the exit status: no (the target is shut out), "
                  "unknown (it may be).")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"no", "unknown"}))
      ->group(kResult);
  declare(*app, flags->ignore, true);
  declare_switch(*app, "--stats", flags->stats, "Times and counts, on stderr.")->group(kResult);
  declare_cache(*app, flags->cache, flags->cache_folder);
  declare(*app, *output, {Format::human, Format::concise, Format::json, Format::jsonl});
  return {app, output, [flags](Console& console) {
            // A report for each of twenty devices is not what anybody reads.
            bool every = std::ranges::find(flags->target.targets, "all") != flags->target.targets.end();
            flags->matrix = flags->matrix || (every && !flags->full);
            return run(*flags, console);
          }};
}

}  // namespace ungate::cli
