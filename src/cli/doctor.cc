// ungate doctor
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/gpu.h"
#include "cli/machine.h"
#include "cli/version.h"
#include "package/copies.h"
#include "package/owners.h"
#include "patch/prebuilt.h"
#include "patch/processes.h"
#include "report/words.h"

namespace ungate::cli {
namespace {

struct Flags {
  EnvironmentFlags environment;
  TargetFlags target;
  std::vector<std::string> rules;
};

// A name that is served from several places, the first of which Python takes.
struct Shadowed {
  std::string name;
  std::vector<std::string> places;
};

struct Facts {
  std::vector<package::Environment> environments;
  std::string no_environment;                    // why there is none
  std::vector<Shadowed> shadowed;
  std::vector<std::string> known;                // installed packages that there are rules for
  std::vector<patch::Prebuilt> prebuilt;
  std::vector<CacheUse> caches;
  std::vector<Toolchain> toolchains;
  std::vector<arch::Device> targets;
  Library libclang, nccl;
  std::vector<Gpu> gpus;
  int driver = 0;
  std::string no_gpu;
  patch::ProcessReport processes;
};

// What a command, or the packages, need of the machine.
struct Need {
  std::string name, found;      // `found` empty: missing
  std::string without;          // what does not work then
};

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

void look_at_environment(const package::Environment& environment, const rules::RuleSet& rules, Facts& facts) {
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
    for (const std::string& name : top_names(owners, static_cast<std::uint32_t>(d - environment.distributions.data()))) {
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

Result<Facts> gather(const Flags& flags) {
  Facts facts;
  auto rules = rules::load_rules(flags.rules);
  if (!rules) return std::unexpected(rules.error());
  bool named = !flags.environment.paths.empty() || !flags.environment.prefix.empty() || !flags.environment.python.empty();
  auto environments = find_environments(flags.environment);
  if (!environments && named) return std::unexpected(environments.error());
  if (environments) facts.environments = std::move(*environments);
  else facts.no_environment = environments.error().what;

  auto driver = ask_driver();
  if (driver) facts.gpus = driver->gpus, facts.driver = driver->version;
  else facts.no_gpu = driver.error().what;
  if (driver || !flags.target.targets.empty()) {
    auto targets = find_targets(flags.target);
    if (!targets) return std::unexpected(targets.error());
    facts.targets = std::move(*targets);
  }

  std::vector<patch::CacheRule> caches;
  for (const rules::PackageFile& file : rules->packages) caches.insert(caches.end(), file.caches.begin(), file.caches.end());
  facts.caches = find_cache_use(caches);
  facts.toolchains = find_toolchains(facts.environments);
  facts.libclang = find_libclang();
  facts.nccl = find_nccl(facts.environments);
  std::vector<std::string> folders;
  for (const package::Environment& e : facts.environments) {
    look_at_environment(e, *rules, facts);
    for (const package::Site& s : e.sites) folders.push_back(s.path);
  }
  for (const patch::CacheRule& rule : caches) {
    for (const std::string& base : patch::expanded_bases(rule, patch::process_variables())) folders.push_back(base);
  }
  facts.processes = patch::find_processes(folders);
  return facts;
}

const Toolchain* first_nvcc(const Facts& facts) {
  auto found = std::ranges::find(facts.toolchains, "nvcc", &Toolchain::program);
  return found == facts.toolchains.end() ? nullptr : &*found;
}

bool knows(const Toolchain& t, arch::Device target) {
  return std::ranges::find(t.targets, target.name()) != t.targets.end();
}

std::string describe(const Toolchain& t, const std::vector<arch::Device>& targets) {
  std::string out = t.program + ' ' + (t.version.empty() ? "(version not known)" : t.version) + "  " + t.path + "  by " + t.found_by;
  if (t.targets.empty()) return out;
  for (arch::Device d : targets) out += (knows(t, d) ? ", knows " : ", does not know ") + d.name();
  return out;
}

std::vector<Need> needs_of(const Facts& facts) {
  std::vector<Need> out;
  out.push_back({"environment", facts.environments.empty() ? "" : text::count(facts.environments.size(), "environment"),
                 "audit, explain, plan, apply, status and revert need a path: " + facts.no_environment});
  out.push_back({"GPU", facts.gpus.empty() ? "" : text::count(facts.gpus.size(), "GPU"), "commands need --target"});
  out.push_back({"libclang", facts.libclang.version, "explain cannot confirm preprocessor conditions: " + facts.libclang.problem});
  const Toolchain* nvcc = first_nvcc(facts);
  out.push_back({"nvcc", nvcc == nullptr ? "" : nvcc->version,
                 "no command needs it, but packages that build their kernels when they are first used do"});
  out.push_back({"NCCL", facts.nccl.version, "no command needs it: " + facts.nccl.problem});
  return out;
}

class Text {
 public:
  Text(const Facts& facts, const Look& look) : f_(facts), paint_(look.colour), width_(static_cast<std::size_t>(look.width)) {}

  std::string text() {
    needs();
    for (const package::Environment& e : f_.environments) environment(e);
    section("Known packages", f_.known);
    std::vector<std::string> lines;
    for (const Shadowed& s : f_.shadowed) {
      lines.push_back(s.name + ": " + s.places.front() + " is what Python takes");
      for (std::size_t i = 1; i < s.places.size(); ++i) lines.push_back("  hides " + s.places[i]);
    }
    section("In several places", std::exchange(lines, {}));
    std::map<std::string, std::size_t> prebuilt;
    for (const patch::Prebuilt& p : f_.prebuilt) ++prebuilt[p.package + (p.version.empty() ? "" : ' ' + p.version)];
    for (const auto& [package, n] : prebuilt) lines.push_back(text::count(n, "module") + " of " + package + ", loaded instead of what sources would be built into");
    section("Prebuilt modules", std::exchange(lines, {}));
    for (const CacheUse& c : f_.caches) lines.push_back(fmt::format("{}: {}, {}", c.path, text::count(c.files, "file"), size_text(c.bytes)));
    section("JIT caches", std::exchange(lines, {}));
    for (const Toolchain& t : f_.toolchains) lines.push_back(describe(t, f_.targets));
    section("Compilers", std::exchange(lines, {}));
    for (const Gpu& g : f_.gpus) lines.push_back(fmt::format("{}, compute capability {}.{}", g.name, g.major, g.minor));
    if (f_.driver > 0) lines.push_back(fmt::format("the driver supports CUDA {}.{}", f_.driver / 1000, f_.driver % 1000 / 10));
    section("GPUs", std::exchange(lines, {}));
    processes();
    return std::move(out_);
  }

 private:
  void section(std::string_view title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out_ += '\n' + paint_.bold(title) + '\n';
    for (const std::string& line : lines) out_ += "  " + text::escape(line) + '\n';
  }

  void needs() {
    for (const Need& n : needs_of(f_)) {
      bool missing = n.found.empty();
      std::string word = missing ? paint_.yellow("missing") : paint_.green("found  ");
      std::string body = report::wrapped(text::escape(missing ? n.without : n.found), 24, width_);
      out_ += report::padded(n.name, 14) + word + "   " + body.substr(24);
    }
  }

  void environment(const package::Environment& e) {
    std::vector<std::string> lines;
    for (const package::Site& s : e.sites) {
      std::string from = s.from.empty() ? "" : " by " + s.from;
      lines.push_back(fmt::format("{}  ({}{})", s.path, package::name_of(s.kind), from));
    }
    for (const package::Note& n : e.notes) lines.push_back("note: " + n.where + ": " + n.what);
    std::string title = e.prefix.empty() ? "Folders" : "Environment " + text::escape(e.prefix);
    if (!e.python_version.empty()) title += " (Python " + e.python_version + ")";
    section(title + ", " + text::count(e.distributions.size(), "package") + ", in import order", lines);
  }

  void processes() {
    std::vector<std::string> lines;
    constexpr std::string_view kHow[] = {"has mapped", "works in", "has open"};
    for (const patch::ProcessUse& p : f_.processes.uses) {
      lines.push_back(fmt::format("{} ({}) {} {}", p.pid, p.command, kHow[static_cast<std::size_t>(p.how)], p.path));
    }
    if (f_.processes.unreadable > 0) lines.push_back(text::count(f_.processes.unreadable, "process", "processes") + " of others could not be looked into");
    section("Running processes that use them", lines);
  }

  const Facts& f_;
  report::Paint paint_;
  std::size_t width_;
  std::string out_;
};

std::string document(const Facts& f) {
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-doctor").field("version", 1).field("tool", kVersion);
  w.key("needs").begin_array();
  for (const Need& n : needs_of(f)) {
    w.begin_object().field("name", n.name).string_or_null("found", n.found).field("without", n.without).end_object();
  }
  w.end_array().key("environments").begin_array();
  for (const package::Environment& e : f.environments) {
    w.begin_object().string_or_null("prefix", e.prefix).string_or_null("python", e.python_version).key("sites").begin_array();
    for (const package::Site& s : e.sites) {
      w.begin_object().field("path", s.path).field("kind", package::name_of(s.kind)).string_or_null("from", s.from).end_object();
    }
    w.end_array().field("packages", e.distributions.size()).end_object();
  }
  w.end_array().key("shadowed").begin_array();
  for (const Shadowed& s : f.shadowed) {
    w.begin_object().field("name", s.name).key("places").begin_array();
    for (const std::string& p : s.places) w.string(p);
    w.end_array().end_object();
  }
  w.end_array().key("prebuilt").begin_array();
  for (const patch::Prebuilt& p : f.prebuilt) {
    w.begin_object().field("package", p.package).string_or_null("version", p.version).field("path", p.path).end_object();
  }
  w.end_array().key("caches").begin_array();
  for (const CacheUse& c : f.caches) {
    w.begin_object().field("rule", c.rule).field("path", c.path).field("files", c.files).field("bytes", c.bytes).end_object();
  }
  w.end_array().key("toolchains").begin_array();
  for (const Toolchain& t : f.toolchains) {
    w.begin_object().field("program", t.program).field("path", t.path).field("found_by", t.found_by).string_or_null("version", t.version);
    w.key("targets").begin_array();
    for (const std::string& name : t.targets) w.string(name);
    w.end_array().end_object();
  }
  w.end_array().key("gpus").begin_array();
  for (const Gpu& g : f.gpus) w.begin_object().field("name", g.name).field("capability", fmt::format("{}.{}", g.major, g.minor)).end_object();
  w.end_array().key("processes").begin_array();
  for (const patch::ProcessUse& p : f.processes.uses) {
    w.begin_object().field("pid", p.pid).field("command", p.command).field("path", p.path).end_object();
  }
  w.end_array().key("errors").begin_array().end_array().end_object();
  return w.take() + '\n';
}

Result<Exit> run(const Flags& flags, Console& console) {
  auto facts = gather(flags);
  if (!facts) return std::unexpected(facts.error());
  auto status = console.show([&](const Look& look) { return look.format == Format::json ? document(*facts) : Text(*facts, look).text(); });
  if (!status) return std::unexpected(status.error());
  return Exit::ok;
}

}  // namespace

Command doctor_command(CLI::App& top) {
  CLI::App* app = top.add_subcommand("doctor", "What is on this machine: environments and what Python takes from where, JIT caches, compilers, libraries, GPUs.");
  app->group(kAbout);
  auto output = std::make_shared<OutputFlags>();
  auto flags = std::make_shared<Flags>();
  declare(*app, flags->environment);
  declare(*app, flags->target);
  declare_rules(*app, flags->rules);
  declare(*app, *output, {Format::human, Format::json});
  return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace ungate::cli
