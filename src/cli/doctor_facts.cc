#include "cli/doctor_facts.h"

#include <algorithm>

#include "base/text.h"
#include "package/copies.h"
#include "package/owners.h"

namespace ungate::cli {
namespace {

// Top-level names that a distribution brings.
std::vector<std::string> top_names(const package::Owners& owners, std::uint32_t distribution) {
  std::vector<std::string> out;
  for (const package::RecordEntry& e : owners.record(distribution).entries()) {
    if (!e.path.ends_with("/__init__.py")) continue;
    std::string top = e.path.substr(0, e.path.find('/'));
    if (top.size() + std::string_view("/__init__.py").size() == e.path.size()) out.push_back(top);
  }
  return out;
}

void look_at_environment(const package::Environment& environment, const rules::RuleSet& rules,
                         Facts& facts) {
  for (const package::Duplicate& d : package::duplicates(environment)) {
    Shadowed s{d.name, {}};
    for (std::uint32_t i : d.distributions) {
      const package::Distribution& one = environment.distributions[i];
      s.places.push_back(one.version_text + " in " + environment.sites[one.site].path);
    }
    facts.shadowed.push_back(std::move(s));
  }
  package::Owners owners(environment);
  std::vector<patch::PrebuiltRule> prebuilt;
  for (const rules::PackageFile& file : rules.packages) {
    for (patch::PrebuiltRule rule : file.prebuilt) {
      for (std::string& path : rule.paths) path = text::replace_all(path, "{module}", "*");
      prebuilt.push_back(std::move(rule));
    }
    const package::Distribution* d = environment.find(file.rules.package);
    if (d == nullptr) continue;
    facts.known.push_back(d->name + ' ' + d->version_text);
    for (const std::string& name :
         top_names(owners, static_cast<std::uint32_t>(d - environment.distributions.data()))) {
      auto copies = package::copies_of(environment, name);
      if (copies.size() < 2) continue;
      Shadowed s{"import " + name, {}};
      for (const package::Copy& c : copies) s.places.push_back(c.path);
      facts.shadowed.push_back(std::move(s));
    }
  }
  auto found = patch::find_prebuilt(environment, prebuilt, {});
  facts.prebuilt.insert(facts.prebuilt.end(), found.begin(), found.end());
}

}  // namespace

Result<Facts> gather(const DoctorFlags& flags) {
  Facts facts;
  auto rules = rules::load_rules(flags.rules);
  if (!rules) return std::unexpected(rules.error());
  bool named = !flags.environment.paths.empty() || !flags.environment.prefix.empty() ||
               !flags.environment.python.empty();
  auto environments = find_environments(flags.environment);
  if (!environments && named) return std::unexpected(environments.error());
  if (environments)
    facts.environments = std::move(*environments);
  else
    facts.no_environment = environments.error().what;

  auto driver = ask_driver();
  if (driver)
    facts.gpus = driver->gpus, facts.driver = driver->version;
  else
    facts.no_gpu = driver.error().what;
  if (driver || !flags.target.targets.empty()) {
    auto targets = find_targets(flags.target);
    if (!targets) return std::unexpected(targets.error());
    facts.targets = std::move(*targets);
  }

  std::vector<patch::CacheRule> caches;
  for (const rules::PackageFile& file : rules->packages)
    caches.insert(caches.end(), file.caches.begin(), file.caches.end());
  facts.caches = find_cache_use(caches);
  facts.toolchains = find_toolchains(facts.environments);
  facts.libraries = find_library_copies(facts.environments);
  facts.libclang = find_libclang();
  facts.nccl = find_nccl(facts.environments);
  std::vector<std::string> folders;
  for (const package::Environment& e : facts.environments) {
    look_at_environment(e, *rules, facts);
    for (const package::Site& s : e.sites) folders.push_back(s.path);
  }
  for (const patch::CacheRule& rule : caches) {
    for (const std::string& base : patch::expanded_bases(rule, patch::process_variables()))
      folders.push_back(base);
  }
  facts.processes = patch::find_processes(folders);
  return facts;
}

namespace {

const Toolchain* first_nvcc(const Facts& facts) {
  auto found = std::ranges::find(facts.toolchains, "nvcc", &Toolchain::program);
  return found == facts.toolchains.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Need> needs_of(const Facts& facts) {
  std::vector<Need> out;
  out.push_back(
      {"environment",
       facts.environments.empty() ? "" : text::count(facts.environments.size(), "environment"),
       "audit, explain, plan, apply, status and revert need a path: " + facts.no_environment});
  out.push_back({"GPU", facts.gpus.empty() ? "" : text::count(facts.gpus.size(), "GPU"),
                 "commands need --target"});
  out.push_back({"libclang", facts.libclang.version,
                 "explain cannot confirm preprocessor conditions: " + facts.libclang.problem});
  const Toolchain* nvcc = first_nvcc(facts);
  out.push_back(
      {"nvcc", nvcc == nullptr ? "" : nvcc->version,
       "no command needs it, but packages that build their kernels when they are first used do"});
  out.push_back({"NCCL", facts.nccl.version, "no command needs it: " + facts.nccl.problem});
  return out;
}

}  // namespace ungate::cli
