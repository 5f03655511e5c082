// Which environment, which devices, which rules: the flags of commands that look at packages, and
// what they stand for.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "audit/archive_tree.h"
#include "audit/audit.h"
#include "base/error.h"
#include "cli/console.h"
#include "package/environment.h"
#include "rules/rule_set.h"

namespace ungate::cli {

// PATH…, --python, --prefix. Without any: VIRTUAL_ENV, then python3 on PATH.
struct EnvironmentFlags {
  std::vector<std::string> paths;
  std::string python, prefix;
};
void declare(CLI::App& app, EnvironmentFlags& flags);
// The same without the positional PATH…, for commands whose arguments mean something else.
void declare_without_paths(CLI::App& app, EnvironmentFlags& flags);
// Archives are refused: only audit::read_archive_tree() reads them.
Result<std::vector<package::Environment>> find_environments(const EnvironmentFlags& flags);

// --target. Without any: the GPUs that are there.
struct TargetFlags {
  std::vector<std::string> targets;
};
void declare(CLI::App& app, TargetFlags& flags);
Result<std::vector<arch::Device>> find_targets(const TargetFlags& flags);

// --assume, --rules, --package, --exclude, -j, --strict.
struct AnalysisFlags {
  EnvironmentFlags environment;
  TargetFlags target;
  std::vector<std::string> assume, rules, packages, excludes;
  unsigned threads = 0;
  bool strict = false, kernels = false;
  bool archives = false;  // PATHs and --prefix may be wheels, tar files and images: nothing is written
};
void declare(CLI::App& app, AnalysisFlags& flags, bool paths = true);
// The same without what names the environment.
void declare_shared(CLI::App& app, AnalysisFlags& flags);
// --rules alone.
void declare_rules(CLI::App& app, std::vector<std::string>& folders);

// What the flags stand for. Reports point into it: it must outlive them and stay where it is.
struct Subject {
  rules::RuleSet rules;
  std::vector<arch::Device> targets;
  std::vector<package::Environment> environments;  // at least one
  audit::Options options;                          // for audit(); progress and cancel are set
  // Those whose environments are the last ones of `environments`, in order.
  std::vector<std::unique_ptr<audit::ArchiveTree>> archives;

  // The archive that one of `environments` is; nullptr: it is on disk.
  const audit::ArchiveTree* archive_of(const package::Environment& environment) const;
};

// Errors are those of discovery, rules and targets, in the order in which a user would mend them:
// the command line first, then rule files, then the environment.
Result<std::unique_ptr<Subject>> find_subject(const AnalysisFlags& flags, Console& console);

// Audits one environment of the subject; `overlay` stands for files that are not written yet.
// With --strict, files that could not be read are an error.
Result<audit::Report> run_audit(const Subject& subject, const package::Environment& environment,
                                const AnalysisFlags& flags,
                                const audit::Overlay* overlay = nullptr);

inline constexpr const char* kWhere = "Where to look";
inline constexpr const char* kWhat = "What to look for";

}  // namespace ungate::cli
