#include "cli/run.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/signals.h"
#include "cli/usage_error.h"
#include "cli/version.h"

namespace ungate::cli {
namespace {

// In the order in which help lists them.
constexpr std::array kCommands = {
    audit_command,  explain_command, objects_command, diff_command,  trace_command, plan_command,
    prove_command,  apply_command,
    revert_command, status_command,  build_command,   verify_command, bench_command, doctor_command,
    rules_command,  version_command};

constexpr const char* kFooter =
    "Exit status:\n"
    "  0 clean or done   1 findings, or something to do   2 usage, or something missing\n"
    "  3 drift, or a refused write   4 a proof failed   5 nothing to audit   130 Ctrl-C\n"
    "\n"
    "`ungate COMMAND --help` describes a command.";

int number(Exit exit) {
  return static_cast<int>(exit);
}

// The JSON document of a command that failed.
std::string error_document(std::string_view command, const Error& error) {
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-" + std::string(command)).field("version", 1);
  w.field("tool", kVersion).key("errors").begin_array();
  write_error(w, error);
  w.end_array().end_object();
  return w.take() + '\n';
}

int report(const Error& error, std::string_view command, const OutputFlags& flags) {
  std::string text = "ungate: " + to_text(error) + '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::string file;
  if (flags.wants_json(file)) {
    std::string document = error_document(command, error);
    if (file.empty()) {
      std::fwrite(document.data(), 1, document.size(), stdout);
      std::fflush(stdout);
    } else if (auto status = write_new_file(file, document); !status) {
      std::string second = "ungate: " + to_text(status.error()) + '\n';
      std::fwrite(second.data(), 1, second.size(), stderr);
    }
  }
  return number(exit_of(error.code));
}

// What the command line asks of the output, where it could not be parsed as a whole.
OutputFlags rough_flags(const std::vector<std::string>& words) {
  OutputFlags flags;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    auto value_of = [&](std::string_view name) -> std::string {
      if (word == name && i + 1 < words.size()) return words[i + 1];
      std::string prefix = std::string(name) + '=';
      return word.starts_with(prefix) ? std::string(word.substr(prefix.size())) : std::string();
    };
    if (std::string format = value_of("--format"); !format.empty()) flags.formats.push_back(format);
    if (std::string file = value_of("--output"); !file.empty()) flags.output = file;
    if (std::string file = value_of("-o"); !file.empty()) flags.output = file;
  }
  if (const char* format = getenv("UNGATE_FORMAT"); flags.formats.empty() && format != nullptr) {
    flags.formats.emplace_back(format);
  }
  return flags;
}

// `ungate help audit` is `ungate audit --help`.
std::vector<std::string> without_help_command(std::vector<std::string> words) {
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.push_back("--help");
  return words;
}

// Help and version.
int print(const std::string& text) {
  OutputFlags flags;
  Console console(flags, {{Format::human, {}}});
  if (auto status = console.show([&](const Look&) { return text; }); !status)
    return report(status.error(), "ungate", flags);
  return number(Exit::ok);
}

int run_command(const Command& command) {
  auto wanted = command.output->wanted();
  if (!wanted) return report(wanted.error(), command.app->get_name(), *command.output);
  Console console(*command.output, std::move(*wanted));
  Result<Exit> result = command.run(console);
  console.end_progress();
  if (!result) return report(result.error(), command.app->get_name(), *command.output);
  return number(console.broken_pipe() ? Exit::ok : *result);
}

}  // namespace

int run(int argc, char** argv) {
  handle_signals();
  CLI::App top(
      "Finds the places in installed Python and CUDA packages that shut a GPU out, says "
      "which of them can be lifted, and lifts them.",
      "ungate");
  top.footer(kFooter);
  top.set_version_flag("--version", std::string("ungate ") + kVersion);
  top.require_subcommand(0, 1);
  top.formatter_fn(
      [](const CLI::App* app, std::string, CLI::AppFormatMode) { return help_text(*app); });
  std::vector<Command> commands;
  for (auto declare_command : kCommands) commands.push_back(declare_command(top));

  std::vector<std::string> words = without_help_command({argv + 1, argv + argc});
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    top.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return print(help_text(*deepest(top)));
  } catch (const CLI::CallForVersion&) {
    return print(std::string("ungate ") + kVersion + '\n');
  } catch (const CLI::ParseError& error) {
    return report(usage_error(top, error, words), deepest(top)->get_name(), rough_flags(words));
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return run_command(command);
  }
  std::string help = help_text(top);
  std::fwrite(help.data(), 1, help.size(), stderr);
  return number(Exit::usage);
}

}  // namespace ungate::cli
