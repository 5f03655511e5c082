// ungate objects
#include <CLI/Option.hpp>

#include <algorithm>

#include "audit/archive_objects.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/version.h"
#include "package/archive.h"
#include "package/folder.h"
#include "package/site.h"
#include "report/objects.h"

namespace ungate::cli {
namespace {

struct Flags {
  EnvironmentFlags environment;
  TargetFlags target;
  audit::ObjectOptions read;
  bool strict = false;
};

Status add_archive(const std::string& path, const audit::ObjectOptions& options,
                   std::vector<report::ObjectsOf>& out) {
  auto objects = audit::read_archive_objects(path, options);
  if (!objects) return std::unexpected(objects.error());
  std::string full = package::absolute(path, package::Surroundings::of_process().working_folder);
  out.push_back({{full}, std::move(*objects)});
  return {};
}

// Files that were named are read whatever they are called, and nothing is looked for around them.
Status add_named_file(const std::string& path, const audit::ObjectOptions& options,
                      std::vector<report::ObjectsOf>& out) {
  auto file = audit::read_object(path, options);
  if (!file) return std::unexpected(file.error());
  auto resolved = package::resolve(package::parent_of(
      package::absolute(path, package::Surroundings::of_process().working_folder)));
  if (!resolved) return std::unexpected(resolved.error());
  std::string full = package::join_path(*resolved, package::name_of_path(path));
  std::string site = package::import_root(full);
  file->path = package::is_within(full, site) && full != site ? full.substr(site.size() + 1) : full;
  out.push_back({{site}, {}});
  out.back().objects.files.push_back(std::move(*file));
  return {};
}

Result<std::vector<report::ObjectsOf>> gather(const Flags& flags, Console& console) {
  std::vector<report::ObjectsOf> out;
  EnvironmentFlags folders = flags.environment;
  folders.paths.clear();
  audit::ObjectOptions options = flags.read;
  options.cancelled = &console.cancelled();
  for (const std::string& path : flags.environment.paths) {
    if (!package::is_file(path)) {
      folders.paths.push_back(path);
      continue;
    }
    auto status = package::is_archive_name(path) ? add_archive(path, options, out)
                                                 : add_named_file(path, options, out);
    if (!status) return std::unexpected(status.error());
  }
  if (!out.empty() && folders.paths.empty() && folders.prefix.empty() && folders.python.empty()) {
    return out;
  }
  auto environments = find_environments(folders);
  if (!environments) return std::unexpected(environments.error());
  for (const package::Environment& environment : *environments) {
    report::ObjectsOf one;
    for (const package::Site& site : environment.sites) one.sites.push_back(site.path);
    one.objects = audit::find_objects(environment, options);
    if (console.cancelled()) return fail(ErrorCode::interrupted, "interrupted");
    out.push_back(std::move(one));
  }
  return out;
}

// Without --target and without a GPU, nothing is asked about.
Result<std::vector<arch::Device>> targets_of(const Flags& flags, Console& console) {
  auto targets = find_targets(flags.target);
  if (targets || !flags.target.targets.empty()) return targets;
  console.note("no --target and no GPU: what loads where is not said");
  return std::vector<arch::Device>();
}

Result<Exit> run(const Flags& flags, Console& console) {
  report::ObjectsStyle style;
  auto targets = targets_of(flags, console);
  if (!targets) return std::unexpected(targets.error());
  style.targets = std::move(*targets);
  style.tool = kVersion;
  auto all = gather(flags, console);
  if (!all) return std::unexpected(all.error());
  auto status = console.show([&](const Look& look) {
    style.colour = look.colour;
    style.width = look.width;
    if (look.format == Format::json) return report::objects_json(*all, style);
    if (look.format == Format::jsonl) return report::objects_jsonl(*all, style);
    return report::objects_human(*all, style);
  });
  if (!status) return std::unexpected(status.error());
  bool unread = std::ranges::any_of(*all, [](const auto& o) { return !o.objects.unread.empty(); });
  return unread && flags.strict ? Exit::usage : Exit::ok;
}

}  // namespace

Command objects_command(CLI::App& top) {
  CLI::App* app = top.add_subcommand(
      "objects", "List the code objects in binaries, and what of them a device can load.");
  app->group(kLook);
  app->footer(
      "Examples:\n"
      "  ungate objects .venv --target sm_120\n"
      "  ungate objects build/_C.abi3.so --target sm_120,sm_121\n"
      "  ungate objects build/_C.abi3.so --target sm_120 --kernels\n"
      "  ungate objects vllm-0.15.0-cp38-abi3-manylinux_2_31_x86_64.whl --target sm_120\n"
      "  ungate objects .venv --target sm_103 --format jsonl\n"
      "\n"
      "Exit status 0 whatever is found; `ungate audit` reports what a device cannot use.");
  auto output = std::make_shared<OutputFlags>();
  auto flags = std::make_shared<Flags>();
  declare_without_paths(*app, flags->environment);
  app->add_option("PATH", flags->environment.paths,
                  "Environments, site-packages folders, packages, single files, wheels, tar files "
                  "and images in them. Without any: $VIRTUAL_ENV, then python3 on PATH.");
  app->add_option("--exclude", flags->read.excludes,
                  "Leave out paths (relative to site-packages) that this pattern fits.")
      ->type_name("GLOB")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(kWhere);
  declare(*app, flags->target);
  app->add_option("-j,--threads", flags->read.threads,
                  "How many threads read files; 0: one a core.")
      ->type_name("N")
      ->group(kWhat);
  declare_switch(*app, "--kernels", flags->read.kernels,
                 "Look into the code objects: which kernels are there for whom, which are empty or "
                 "only stop the program. Reads whole files.")
      ->group(kWhat);
  declare_switch(*app, "--strict", flags->strict, "Files that cannot be read are an error.")
      ->group(kWhat);
  declare(*app, *output, {Format::human, Format::json, Format::jsonl});
  return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace ungate::cli
