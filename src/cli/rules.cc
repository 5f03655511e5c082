// ungate rules
#include <algorithm>

#include "base/text.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/nearest.h"
#include "cli/topics.h"

namespace ungate::cli {
namespace {

struct Flags {
  std::vector<std::string> folders;
  std::string kind, id;
};

// "archs", "arch" and "Arch" mean the kind "arch".
std::string singular(std::string_view text) {
  std::string kind = text::lower(text);
  if (kind.size() > 1 && kind.ends_with('s')) kind.pop_back();
  return kind;
}

Result<Exit> list(const Flags& flags, Console& console) {
  auto topics = all_topics(flags.folders);
  if (!topics) return std::unexpected(topics.error());
  if (!flags.kind.empty()) {
    std::vector<std::string> kinds;
    for (const auto& t : *topics) {
      if (std::ranges::find(kinds, t.kind) == kinds.end()) kinds.push_back(t.kind);
    }
    std::string kind = singular(flags.kind);
    if (std::ranges::find(kinds, kind) == kinds.end()) {
      return fail(ErrorCode::not_found, "there are no rules of kind '" + flags.kind + "'", {},
                  "kinds are " + text::join(kinds, ", "));
    }
    std::erase_if(*topics, [&](const auto& t) { return t.kind != kind; });
  }
  auto status = console.show([&](const Look& look) { return render_list(*topics, look); });
  if (!status) return std::unexpected(status.error());
  return Exit::ok;
}

Result<Exit> show(const Flags& flags, Console& console) {
  auto topics = find_topics(flags.id, flags.folders);
  if (!topics) return std::unexpected(topics.error());
  auto status = console.show([&](const Look& look) { return render(*topics, "rules", look); });
  if (!status) return std::unexpected(status.error());
  return Exit::ok;
}

}  // namespace

Command rules_command(CLI::App& top) {
  CLI::App* app = top.add_subcommand(
      "rules", "What the audit knows beside the code it reads: gate forms, rules, patch sets.");
  app->group(kAbout);
  app->footer(
      "Examples:\n"
      "  ungate rules list\n"
      "  ungate rules list archs\n"
      "  ungate rules show wgmma");
  auto output = std::make_shared<OutputFlags>();
  auto flags = std::make_shared<Flags>();
  CLI::App* list_app = app->add_subcommand("list", "A line for each, all or of one kind.");
  list_app->add_option("KIND", flags->kind,
                       "form, arch, source, world, list, feature, package, note or patch-set.");
  CLI::App* show_app = app->add_subcommand("show", "One in full.");
  show_app->add_option("ID", flags->id, "As `rules list` prints it, or a part of it.")->required();
  for (CLI::App* sub : {list_app, show_app}) {
    declare_rules(*sub, flags->folders);
    declare(*sub, *output, {Format::human, Format::json});
  }
  app->require_subcommand(1);
  return {app, output, [flags, show_app](Console& console) {
            return show_app->parsed() ? show(*flags, console) : list(*flags, console);
          }};
}

}  // namespace ungate::cli
