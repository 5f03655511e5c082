#include "cli/help.h"

#include <CLI/Option.hpp>

#include <algorithm>

#include "base/text.h"

namespace ungate::cli {
namespace {

constexpr std::size_t kWidth = 80, kNames = 24;

// Text broken at blanks into lines of at most `width`.
std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> out;
  std::string line;
  for (std::string_view word : text::split(text, ' ')) {
    if (!line.empty() && line.size() + 1 + word.size() > width)
      out.push_back(std::exchange(line, {}));
    if (!line.empty()) line += ' ';
    line += word;
  }
  out.push_back(line);
  return out;
}

// Two columns; a name that is too long for the left one gets a line of its own.
void add_entry(std::string& out, const std::string& name, std::string_view what) {
  std::string line = "  " + name;
  for (const std::string& part : wrap(what, kWidth - kNames - 2)) {
    if (line.size() + 2 > kNames + 2) {
      out += line + '\n';
      line.clear();
    }
    line.resize(kNames + 2, ' ');
    out += line + part + '\n';
    line.clear();
  }
}

bool is_visible(const CLI::Option& option) {
  return !option.get_group().empty();
}

std::string positional_name(const CLI::Option& option) {
  return option.get_single_name() + (option.get_items_expected_max() > 1 ? "..." : "");
}

// "-o, --output FILE"; a switch shows its twin as "--[no-]strict".
std::string option_name(const CLI::Option& option) {
  std::string out;
  for (const std::string& name : option.get_snames()) out += '-' + name + ", ";
  const auto& names = option.get_lnames();
  auto is_twin = [&](const std::string& name) { return name.starts_with("no-"); };
  bool twin = std::ranges::any_of(names, is_twin) && !std::ranges::all_of(names, is_twin);
  for (const std::string& name : names) {
    if (twin && is_twin(name)) continue;
    out += (twin ? "--[no-]" : "--") + name;
    break;
  }
  if (names.empty() && out.size() > 2) out.resize(out.size() - 2);
  // A validator appends its choices to the type; the description names them.
  std::string type = option.get_type_name();
  if (option.get_type_size() != 0) out += ' ' + type.substr(0, type.find(':'));
  return out;
}

std::string description(const CLI::Option& option) {
  std::string out = option.get_description();
  if (!option.get_envname().empty()) out += " [$" + option.get_envname() + "]";
  return out;
}

void add_options(std::string& out, const CLI::App& app) {
  std::vector<std::string> groups = app.get_groups();
  std::ranges::stable_partition(groups, [](const std::string& g) { return g != "Options"; });
  for (const std::string& group : groups) {
    auto options = app.get_options([&](const CLI::Option* o) {
      return o->get_group() == group && !o->get_positional() && is_visible(*o);
    });
    if (options.empty()) continue;
    out += '\n' + (group == "Options" ? "Help" : group) + ":\n";
    for (const CLI::Option* o : options) add_entry(out, option_name(*o), description(*o));
  }
}

void add_commands(std::string& out, const CLI::App& app) {
  std::vector<std::string> groups;
  auto commands = app.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); });
  for (const CLI::App* c : commands) {
    if (std::ranges::find(groups, c->get_group()) == groups.end()) groups.push_back(c->get_group());
  }
  for (const std::string& group : groups) {
    out += '\n' + (group == "Subcommands" ? "Commands" : group) + ":\n";
    for (const CLI::App* c : commands) {
      if (c->get_group() == group) add_entry(out, c->get_name(), c->get_description());
    }
  }
}

}  // namespace

std::string usage_line(const CLI::App& app) {
  std::string out = app.get_name();
  for (const CLI::App* above = app.get_parent(); above != nullptr; above = above->get_parent()) {
    out = above->get_name() + ' ' + out;
  }
  if (!app.get_subcommands([](const CLI::App*) { return true; }).empty())
    return out + " COMMAND [FLAGS]";
  out += " [FLAGS]";
  for (const CLI::Option* o :
       app.get_options([](const CLI::Option* p) { return p->get_positional(); })) {
    out += o->get_required() ? ' ' + positional_name(*o) : " [" + positional_name(*o) + ']';
  }
  return out;
}

std::string help_text(const CLI::App& app) {
  std::string out = "Usage: " + usage_line(app) + "\n\n";
  for (const std::string& line : wrap(app.get_description(), kWidth)) out += line + '\n';
  auto positionals = app.get_options([](const CLI::Option* o) { return o->get_positional(); });
  if (!positionals.empty()) out += "\nArguments:\n";
  for (const CLI::Option* o : positionals)
    add_entry(out, positional_name(*o), o->get_description());
  add_commands(out, app);
  add_options(out, app);
  const std::string footer = app.get_footer();
  if (footer.empty()) return out;
  out += '\n';
  for (std::string_view line : text::lines(footer)) {
    // What is set in from the margin is to be read as it stands.
    if (line.starts_with(' ')) {
      out += std::string(line) + '\n';
    } else {
      for (const std::string& part : wrap(line, kWidth)) out += part + '\n';
    }
  }
  return out;
}

}  // namespace ungate::cli
