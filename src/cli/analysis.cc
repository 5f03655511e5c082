#include "cli/analysis.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <CLI/Option.hpp>

#include <algorithm>
#include <utility>

#include "audit/walk.h"
#include "base/text.h"
#include "cli/assume.h"
#include "cli/gpu.h"
#include "cli/nearest.h"
#include "package/archive.h"
#include "package/folder.h"

namespace ungate::cli {
namespace {

CLI::Option* repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& into,
                        const std::string& help, const char* type, const char* group) {
  return app.add_option(name, into, help)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
}

Result<arch::DeviceSet> devices_of_machine() {
  auto driver = ask_driver();
  if (!driver) return std::unexpected(driver.error());
  arch::DeviceSet set;
  for (const Gpu& gpu : driver->gpus) {
    auto device = arch::find_device(gpu.major, gpu.minor);
    if (!device) {
      return fail(ErrorCode::unknown_target,
                  fmt::format("{} has compute capability {}.{}, which this version does not know",
                              gpu.name, gpu.major, gpu.minor),
                  "--target native");
    }
    set |= arch::DeviceSet::of(device->index());
  }
  return set;
}

Result<arch::DeviceSet> parse_target_flag(const std::string& text) {
  arch::DeviceSet set;
  for (std::string_view part : text::split(text, ',')) {
    auto some = text::trim(part) == "native" ? devices_of_machine() : arch::parse_targets(part);
    if (!some) return some;
    set |= *some;
  }
  return set;
}

// What a stage of the audit does, for those who wait for it.
std::string_view activity_of(std::string_view stage) {
  if (stage == "walk") return "listing files";
  if (stage == "scan") return "reading files";
  if (stage == "evaluate") return "evaluating Python";
  if (stage == "judge") return "following gates to what they guard";
  return stage;
}

// A package that is nowhere installed has no gates, but that is not what was asked.
Status check_packages(const std::vector<std::string>& wanted,
                      const std::vector<package::Environment>& environments) {
  std::vector<std::string> installed;
  for (const package::Environment& e : environments) {
    for (const package::Distribution& d : e.distributions) installed.push_back(d.name);
  }
  for (const std::string& name : wanted) {
    std::string normalised = package::normalised_name(name);
    if (std::ranges::find(installed, normalised) != installed.end()) continue;
    std::string close = nearest(normalised, installed);
    return fail(ErrorCode::not_found, "no package '" + name + "' is installed there", "--package",
                close.empty() ? "" : "did you mean " + close + "?");
  }
  return {};
}

// Whether what was asked for has a file that can hold a gate.
bool has_sources(const audit::Report& report) {
  const auto& selected = report.environment->selected;
  const auto& counts = report.counts;
  if (counts.python + counts.cuda + counts.binaries == 0) return false;
  auto may_hold = [](const std::string& path) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return true;
    audit::FileKind kind = audit::kind_of(path);
    return kind != audit::FileKind::other;
  };
  return selected.empty() || std::ranges::any_of(selected, may_hold);
}

bool is_archive(const std::string& path) {
  return package::is_archive_name(path) && package::is_file(path);
}

Status refuse_archive(const std::string& path) {
  if (!is_archive(path)) return {};
  return fail(ErrorCode::usage, "an archive can only be looked at", path,
              "`ungate audit` and `ungate objects` read it; install it to change it");
}

// Moves archives out of what names environments, and reads them.
Status read_archives(EnvironmentFlags& flags, const AnalysisFlags& asked, Console& console,
                     Subject& subject) {
  std::vector<std::string> archives;
  std::erase_if(flags.paths, [&](const std::string& path) {
    if (is_archive(path)) archives.push_back(path);
    return is_archive(path);
  });
  if (is_archive(flags.prefix)) archives.push_back(std::exchange(flags.prefix, {}));
  audit::ObjectOptions options;
  options.excludes = asked.excludes;
  options.threads = asked.threads;
  options.kernels = asked.kernels;
  options.cancelled = &console.cancelled();
  for (const std::string& path : archives) {
    console.progress("reading " + path, 0, 0);
    auto tree = audit::read_archive_tree(
        package::absolute(path, package::Surroundings::of_process().working_folder), options);
    if (!tree) return std::unexpected(tree.error());
    subject.archives.push_back(std::move(*tree));
  }
  return {};
}

}  // namespace

const audit::ArchiveTree* Subject::archive_of(const package::Environment& environment) const {
  auto place = static_cast<std::size_t>(&environment - environments.data());
  std::size_t first = environments.size() - archives.size();
  return place >= first && place < environments.size() ? archives[place - first].get() : nullptr;
}

void declare_without_paths(CLI::App& app, EnvironmentFlags& flags) {
  app.add_option("--python", flags.python, "The interpreter whose environment is meant.")
      ->type_name("EXE")
      ->envname("UNGATE_PYTHON")
      ->group(kWhere);
  app.add_option("--prefix", flags.prefix,
                 "The environment: a virtual environment, a conda environment, or a folder that "
                 "holds packages. Without any: $VIRTUAL_ENV, then python3 on PATH.")
      ->type_name("DIR")
      ->group(kWhere);
}

void declare(CLI::App& app, EnvironmentFlags& flags) {
  app.add_option("PATH", flags.paths,
                 "Environments, site-packages folders, packages or files in them, source "
                 "checkouts. Without any: $VIRTUAL_ENV, then python3 on PATH.");
  declare_without_paths(app, flags);
}

void declare(CLI::App& app, TargetFlags& flags) {
  repeatable(app, "--target", flags.targets,
             "Devices to ask about: sm_120, 12.0 or 120, several separated by commas, `native` for "
             "the GPUs of this machine (the default), `all`.",
             "DEVICES", kWhat)
      ->envname("UNGATE_TARGET");
}

void declare_rules(CLI::App& app, std::vector<std::string>& folders) {
  repeatable(app, "--rules", folders,
             "A folder with rules of one's own, laid out as this project's rules and patches.",
             "DIR", kWhat)
      ->envname("UNGATE_RULES");
}

void declare(CLI::App& app, AnalysisFlags& flags, bool paths) {
  if (paths) {
    declare(app, flags.environment);
  } else {
    declare_without_paths(app, flags.environment);
  }
  declare_shared(app, flags);
}

void declare_shared(CLI::App& app, AnalysisFlags& flags) {
  repeatable(app, "--package", flags.packages, "Only this distribution; may be given again.",
             "NAME", kWhere);
  repeatable(app, "--exclude", flags.excludes,
             "Leave out paths (relative to site-packages) that this pattern fits.", "GLOB", kWhere);
  declare(app, flags.target);
  repeatable(app, "--assume", flags.assume,
             "What holds in the world that is asked about: NAME=VALUE for a Python name "
             "(torch.version.hip=None), env:NAME=VALUE, macro:NAME=VALUE, cuda=12.9.",
             "NAME=VALUE", kWhat);
  declare_rules(app, flags.rules);
  app.add_option("-j,--threads", flags.threads, "How many threads read files; 0: one a core.")
      ->type_name("N")
      ->group(kWhat);
  declare_switch(app, "--strict", flags.strict, "Files that cannot be read are an error.")
      ->group(kWhat);
}

Result<std::vector<package::Environment>> find_environments(const EnvironmentFlags& flags) {
  for (const std::string& path : flags.paths) {
    if (auto s = refuse_archive(path); !s) return std::unexpected(s.error());
  }
  if (auto s = refuse_archive(flags.prefix); !s) return std::unexpected(s.error());
  package::Query query;
  query.paths = flags.paths;
  if (!flags.prefix.empty()) query.paths.push_back(flags.prefix);
  query.python = flags.python;
  if (!query.python.empty() && !query.paths.empty()) {
    return fail(ErrorCode::usage, "an interpreter and a path both name the environment", "--python",
                "give one of them");
  }
  return package::discover(query, package::Surroundings::of_process());
}

Result<std::vector<arch::Device>> find_targets(const TargetFlags& flags) {
  arch::DeviceSet set;
  std::vector<std::string> given = flags.targets;
  if (given.empty()) given.push_back("native");
  for (const std::string& text : given) {
    auto some = parse_target_flag(text);
    if (!some) return std::unexpected(some.error());
    set |= *some;
  }
  std::vector<arch::Device> devices;
  for (unsigned index : set) devices.emplace_back(index);
  return devices;
}

Result<std::unique_ptr<Subject>> find_subject(const AnalysisFlags& flags, Console& console) {
  auto subject = std::make_unique<Subject>();
  auto assumptions = parse_assumptions(flags.assume);
  if (!assumptions) return std::unexpected(assumptions.error());
  auto targets = find_targets(flags.target);
  if (!targets) return std::unexpected(targets.error());
  subject->targets = std::move(*targets);
  auto rules = rules::load_rules(flags.rules);
  if (!rules) return std::unexpected(rules.error());
  subject->rules = std::move(*rules);
  EnvironmentFlags where = flags.environment;
  if (flags.archives) {
    if (auto s = read_archives(where, flags, console, *subject); !s)
      return std::unexpected(s.error());
  }
  if (subject->archives.empty() || !where.paths.empty() || !where.prefix.empty() ||
      !where.python.empty()) {
    auto environments = find_environments(where);
    if (!environments) return std::unexpected(environments.error());
    subject->environments = std::move(*environments);
  }
  for (const auto& archive : subject->archives)
    subject->environments.push_back(archive->environment);

  if (auto status = check_packages(flags.packages, subject->environments); !status)
    return std::unexpected(status.error());

  audit::Options& options = subject->options;
  options.targets = subject->targets;
  for (const std::string& name : flags.packages) {
    options.packages.push_back(package::normalised_name(name));
  }
  options.excludes = flags.excludes;
  options.threads = flags.threads;
  options.kernels = flags.kernels;
  options.assume = std::move(*assumptions);
  options.cancelled = &console.cancelled();
  options.progress = [&console](std::string_view stage, std::size_t done, std::size_t of) {
    console.progress(activity_of(stage), done, of);
  };
  return subject;
}

Result<audit::Report> run_audit(const Subject& subject, const package::Environment& environment,
                                const AnalysisFlags& flags, const audit::Overlay* overlay) {
  audit::Options options = subject.options;
  options.overlay = overlay;
  options.archive = subject.archive_of(environment);
  auto report = audit::audit(environment, subject.rules, options);
  if (report && flags.strict && !report->unread.empty()) {
    const audit::Unread& first = report->unread.front();
    return fail(ErrorCode::unreadable,
                fmt::format("{} could not be read, or only partly ({})",
                            text::count(report->unread.size(), "file"), first.why),
                first.path, "mend them, leave them out with --exclude, or drop --strict");
  }
  if (report && !has_sources(*report)) {
    const package::Environment& e = *report->environment;
    return fail(ErrorCode::nothing_to_audit, "there is no Python, C++ or CUDA source and no binary here",
                !e.selected.empty() ? e.selected.front() : e.sites.front().path);
  }
  return report;
}

}  // namespace ungate::cli
