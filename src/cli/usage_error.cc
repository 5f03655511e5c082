#include "cli/usage_error.h"

#include <CLI/Error.hpp>
#include <CLI/Option.hpp>
#include <algorithm>

#include "base/text.h"
#include "cli/help.h"
#include "cli/nearest.h"

namespace ungate::cli {
namespace {

std::string full_name(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* above = app.get_parent(); above != nullptr; above = above->get_parent())
    name = above->get_name() + ' ' + name;
  return name;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(c->get_name());
  return names;
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* o : app.get_options()) {
    for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Error usage(std::string what, std::string where, std::string next) {
  return {ErrorCode::usage, std::move(what), std::move(where), std::move(next)};
}

Error no_such_command(const CLI::App& app, const std::string& word) {
  std::string close = nearest(word, command_names(app));
  return usage("there is no command '" + word + "'", {},
               close.empty() ? '`' + full_name(app) + " --help` lists the commands"
                             : "did you mean `" + full_name(app) + ' ' + close + "`?");
}

// A flag that the command does not have, or one argument too many.
Error unexpected_word(const CLI::App& app, const std::string& word) {
  std::string lists = '`' + full_name(app) + " --help` lists the flags";
  if (!word.starts_with('-')) {
    if (!command_names(app).empty()) return no_such_command(app, word);
    return usage("'" + word + "' is one argument too many", {}, "usage: " + usage_line(app));
  }
  std::string flag = word.substr(0, word.find('='));
  std::string close = nearest(flag, flag_names(app));
  return usage("there is no flag '" + flag + "'", {},
               close.empty() ? lists : "did you mean " + close + "?");
}

// The library puts the option's name first: "--fail-on: maybe not in {no,unknown}".
Error bad_value(std::string message, const std::string& lists) {
  std::size_t colon = message.find(": ");
  if (colon == message.npos) return usage(message, {}, lists);
  std::string option = message.substr(0, colon), what = message.substr(colon + 2);
  constexpr std::string_view kNotIn = " not in {";
  if (std::size_t at = what.rfind(kNotIn); at != what.npos && what.ends_with('}')) {
    std::string choices = what.substr(at + kNotIn.size());
    choices.pop_back();
    return usage("'" + what.substr(0, at) + "' is none of its values", option,
                 "choose from " + text::replace_all(choices, ",", ", "));
  }
  return usage(what, option, lists);
}

// "Could not convert: --threads = many"
Error not_converted(const std::string& message, const std::string& lists) {
  std::size_t colon = message.find(": "), equals = message.find(" = ");
  if (colon == message.npos || equals == message.npos || equals < colon)
    return usage(message, {}, lists);
  return usage("'" + message.substr(equals + 3) + "' is no value for it",
               message.substr(colon + 2, equals - colon - 2), lists);
}

}  // namespace

const CLI::App* deepest(const CLI::App& top) {
  const CLI::App* app = &top;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().back();
  return app;
}

Error usage_error(const CLI::App& top, const CLI::ParseError& error,
                  const std::vector<std::string>& words) {
  const CLI::App& app = *deepest(top);
  std::string lists = '`' + full_name(app) + " --help` lists the flags";
  std::string kind = error.get_name(), message = error.what();
  if (&app == &top && !words.empty() && !words.front().starts_with('-'))
    return no_such_command(top, words.front());
  std::vector<std::string> extra = top.remaining(true);
  bool command_missing = kind == "RequiredError" && !command_names(app).empty();
  if (!extra.empty() && (command_missing || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr))
    return unexpected_word(app, extra.front());
  if (kind == "RequiredError") {
    constexpr std::string_view kIsRequired = " is required";
    std::size_t at = message.find(kIsRequired);
    std::string missing = command_missing ? "a command" : message.substr(0, at);
    return usage(missing + " is missing", {},
                 command_missing ? '`' + full_name(app) + " --help` lists them"
                         : "usage: " + usage_line(app));
  }
  if (kind == "ConversionError") return not_converted(message, lists);
  if (kind == "ArgumentMismatch") {
    return usage("a value is missing behind it", message.substr(0, message.find(':')), lists);
  }
  return bad_value(message, lists);
}

}  // namespace ungate::cli
