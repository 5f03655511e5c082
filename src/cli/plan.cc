// ungate plan
#include <CLI/Option.hpp>

#include "cli/command.h"
#include "cli/planning.h"
#include "cli/version.h"

namespace ungate::cli {
namespace {

// The flags that make the same plan again.
std::string repeated(const PlanFlags& flags) {
  std::string out;
  auto add = [&](const char* name, const std::vector<std::string>& values) {
    for (const std::string& v : values)
      out += std::string(" ") + name + (*name == '\0' ? "" : " ") + v;
  };
  for (const std::string& path : flags.environment.paths) out += ' ' + path;
  if (!flags.environment.prefix.empty()) out += " --prefix " + flags.environment.prefix;
  if (!flags.environment.python.empty()) out += " --python " + flags.environment.python;
  add("--target", flags.target.targets);
  add("--package", flags.packages);
  add("--assume", flags.assume);
  add("--rules", flags.rules);
  add("--set", flags.request.sets);
  add("--member", flags.request.members);
  add("--no-member", flags.request.without);
  add("--lift", flags.request.lifts);
  if (flags.request.lift_unknown) out += " --allow-unknown";
  if (flags.force) out += " --force";
  return out;
}

}  // namespace

Result<Exit> show_plans(const PlanFlags& flags, Console& console) {
  auto subject = find_subject(flags, console);
  if (!subject) return std::unexpected(subject.error());
  auto views = make_plans(**subject, flags, console);
  if (!views) return std::unexpected(views.error());
  auto show = [&](const Look& look) {
    report::Style style;
    style.colour = look.colour;
    style.width = look.width;
    style.tool = kVersion;
    style.repeat = repeated(flags);
    return look.format == Format::json ? report::plan_json(*views, style)
                                       : report::plan_human(*views, style);
  };
  if (auto status = console.show(show); !status) return std::unexpected(status.error());
  bool anything = false;
  for (const report::PlanView& view : *views) {
    if (!view.refusals.empty()) return exit_of(view.refusals.front().code);
    anything = anything || !view.empty();
  }
  return anything ? Exit::findings : Exit::ok;
}

Command plan_command(CLI::App& top) {
  CLI::App* app =
      top.add_subcommand("plan", "Show what apply would write, and why. Writes nothing.");
  app->group(kChange);
  app->footer(
      "Examples:\n"
      "  ungate plan .venv --target sm_120\n"
      "  ungate plan .venv --target sm_120 --member auto\n"
      "  ungate plan .venv --target sm_120 --format human --format json=plan.json\n"
      "  ungate plan .venv --target sm_120 --lift flashinfer/jit/comm.py:61\n"
      "\n"
      "The JSON result is the file that `ungate apply --plan FILE` takes.\n"
      "Exit status 0: nothing to do. 1: there is. 3: something does not fit, or may not be "
      "written.");
  auto output = std::make_shared<OutputFlags>();
  auto flags = std::make_shared<PlanFlags>();
  declare(*app, *flags);
  declare(*app, *output, {Format::human, Format::json});
  // `-o plan.json` alone is the plan file, and what people read goes to stdout as before.
  app->final_callback([output] {
    if (output->output.empty() || !output->formats.empty()) return;
    output->formats = {"human", "json=" + output->output};
    output->output.clear();
  });
  return {app, output, [flags](Console& console) { return show_plans(*flags, console); }};
}

}  // namespace ungate::cli
