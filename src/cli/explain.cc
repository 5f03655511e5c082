// ungate explain
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/inspect.h"
#include "cli/topics.h"
#include "cli/version.h"
#include "report/explain.h"

namespace ungate::cli {
namespace {

struct Flags : AnalysisFlags {
  std::string topic;
};

report::Style style_for(const Look& look) {
  report::Style style;
  style.colour = look.colour;
  style.width = look.width;
  style.tool = kVersion;
  return style;
}

Status show(const report::Explanation& explanation, Console& console) {
  return console.show([&](const Look& look) {
    report::Style style = style_for(look);
    if (look.format == Format::json) return report::explanation_json(explanation, style);
    return report::explanation(explanation, style);
  });
}

// Without --target and without a GPU every device is asked about.
void default_targets(TargetFlags& flags) {
  if (!flags.targets.empty() || find_targets(flags)) return;
  flags.targets.push_back("all");
}

Result<Exit> explain_place(Flags flags, const PlaceName& place, Console& console) {
  default_targets(flags.target);
  auto subject = find_subject_of(flags, place, console);
  if (!subject) return std::unexpected(subject.error());
  for (const package::Environment& environment : (*subject)->environments) {
    auto file = find_file(environment, (*subject)->archive_of(environment), place);
    if (!file) continue;
    auto found = inspect_line(**subject, environment, *file, place.line);
    if (!found) return std::unexpected(found.error());
    if (auto status = show(found->explanation, console); !status)
      return std::unexpected(status.error());
    return Exit::ok;
  }
  return fail(ErrorCode::no_such_path, "no such file in " + name_of((*subject)->environments),
              place.path,
              "give it as it stands in the report, relative to site-packages, or in full");
}

Result<Exit> explain_gate(Flags flags, Console& console) {
  default_targets(flags.target);
  auto subject = find_subject(flags, console);
  if (!subject) return std::unexpected(subject.error());
  for (const package::Environment& environment : (*subject)->environments) {
    auto found = inspect_gate(**subject, environment, flags.topic);
    if (!found) return std::unexpected(found.error());
    if (found->explanation.gates.empty()) continue;
    if (auto status = show(found->explanation, console); !status)
      return std::unexpected(status.error());
    return Exit::ok;
  }
  return fail(ErrorCode::not_found,
              "'" + flags.topic + "' is no gate of " + name_of((*subject)->environments), {},
              "`ungate audit` lists gates with their ids; FILE:LINE, a gate form and a rule's id "
              "do as well");
}

Result<Exit> run(const Flags& flags, Console& console) {
  if (auto place = parse_place(flags.topic)) return explain_place(flags, *place, console);
  if (!looks_like_id(flags.topic)) {
    auto topics = find_topics(flags.topic, flags.rules);
    if (!topics) return std::unexpected(topics.error());
    auto status = console.show([&](const Look& look) { return render(*topics, "explain", look); });
    if (!status) return std::unexpected(status.error());
    return Exit::ok;
  }
  return explain_gate(flags, console);
}

}  // namespace

Command explain_command(CLI::App& top) {
  CLI::App* app = top.add_subcommand(
      "explain",
      "Everything about one gate, one line of a file, a gate form, a rule or a patch set.");
  app->group(kLook);
  app->footer(
      "Examples:\n"
      "  ungate explain 31606d4e --target sm_120\n"
      "  ungate explain flashinfer/jit/comm.py:61 --target sm_120\n"
      "  ungate explain pp-arch-range");
  auto output = std::make_shared<OutputFlags>();
  auto flags = std::make_shared<Flags>();
  app->add_option("TOPIC", flags->topic,
                  "The id of a gate, FILE:LINE (a file as reports name it, in full, or relative to "
                  "the working folder), "
                  "the name of a gate form, of a rule or of a patch set.")
      ->required();
  flags->archives = true;
  declare(*app, *flags, false);
  declare(*app, *output, {Format::human, Format::json});
  return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace ungate::cli
