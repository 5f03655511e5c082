#include "cli/output_flags.h"

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>

#include "base/text.h"

namespace ungate::cli {
namespace {

constexpr Format kFormats[] = {Format::human, Format::concise, Format::json, Format::jsonl};

// "json" or "json=FILE".
std::pair<std::string, std::string> cut(const std::string& given) {
  std::size_t equals = given.find('=');
  if (equals == given.npos) return {given, {}};
  return {given.substr(0, equals), given.substr(equals + 1)};
}

std::string list(const std::vector<Format>& formats, std::string_view separator) {
  std::vector<std::string> names;
  for (Format f : formats) names.emplace_back(name_of(f));
  return text::join(names, separator);
}

}  // namespace

std::string_view name_of(Format format) {
  switch (format) {
    case Format::human:
      return "human";
    case Format::concise:
      return "concise";
    case Format::json:
      return "json";
    case Format::jsonl:
      return "jsonl";
  }
  return "";
}

Result<std::vector<Wanted>> OutputFlags::wanted() const {
  std::vector<Wanted> out;
  std::size_t to_stdout = 0;
  for (const std::string& given : formats) {
    auto [name, file] = cut(given);
    auto format = std::ranges::find(kFormats, name, [](Format f) { return name_of(f); });
    if (format == std::end(kFormats) || std::ranges::find(allowed, *format) == allowed.end()) {
      return fail(ErrorCode::usage, "'" + name + "' is no format of this command", "--format",
                  "choose from " + list(allowed, ", "));
    }
    if (given.find('=') != given.npos && file.empty()) {
      return fail(ErrorCode::usage, "a file name is missing behind '='", "--format " + given);
    }
    if (file.empty()) ++to_stdout;
    out.push_back({*format, file});
  }
  if (out.empty()) out.push_back({allowed.front(), {}}), ++to_stdout;
  if (to_stdout > 1) {
    return fail(ErrorCode::usage, "only one format can go to stdout", "--format",
                "give the others a file: --format json=FILE");
  }
  if (output.empty()) return out;
  auto first = std::ranges::find(out, std::string(), &Wanted::file);
  if (first == out.end()) {
    return fail(ErrorCode::usage, "every --format has a file of its own already", "--output");
  }
  first->file = output;
  return out;
}

bool OutputFlags::wants_json(std::string& file) const {
  for (const std::string& given : formats) {
    auto [name, own] = cut(given);
    if (name != "json") continue;
    file = own.empty() ? output : own;
    return true;
  }
  return false;
}

CLI::Option* declare_switch(CLI::App& app, const std::string& names, bool& value,
                            const std::string& help) {
  std::size_t dashes = names.rfind("--");
  std::string twin = "!--no-" + names.substr(dashes + 2);
  return app.add_flag(names + ',' + twin, value, help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void declare(CLI::App& app, OutputFlags& flags, std::vector<Format> allowed) {
  flags.allowed = std::move(allowed);
  auto group = [](CLI::Option* option) { option->group(kOutputGroup); };
  if (flags.allowed.size() > 1) {
    std::string help = "How to write the result: " + list(flags.allowed, ", ") +
                       ". May be given several times, with a file for all but one: json=FILE.";
    group(app.add_option("--format", flags.formats, help)
              ->type_name("NAME[=FILE]")
              ->envname("UNGATE_FORMAT")
              ->expected(1)
              ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
  }
  group(app.add_option("-o,--output", flags.output, "Write the result to this file.")
            ->type_name("FILE"));
  group(declare_switch(app, "-q,--quiet", flags.quiet, "No notes and no progress."));
  group(app.add_flag("-v,--verbose", flags.verbose, "More notes; may be given twice."));
  group(app.add_option("--color", flags.colour, "Colour: auto, always, never.")
            ->type_name("WHEN")
            ->check(CLI::IsMember({"auto", "always", "never"})));
  group(app.add_option("--progress", flags.progress, "Progress on a terminal: auto, never.")
            ->type_name("WHEN")
            ->envname("UNGATE_PROGRESS")
            ->check(CLI::IsMember({"auto", "never"})));
}

void declare_cache(CLI::App& app, bool& cache, std::string& folder) {
  declare_switch(app, "--cache", cache, "Keep results, and use kept ones.")->group(kOutputGroup);
  app.add_option("--cache-dir", folder, "Where results are kept; the default is $XDG_CACHE_HOME/ungate.")
      ->type_name("DIR")
      ->envname("UNGATE_CACHE_DIR")
      ->group(kOutputGroup);
}

}  // namespace ungate::cli
