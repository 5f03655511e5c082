#include "audit/audit.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <unordered_set>

#include <fmt/core.h>

#include "audit/archive_tree.h"
#include "audit/binary_gates.h"
#include "audit/known_here.h"
#include "audit/natives.h"
#include "audit/scan.h"
#include "audit/word_index.h"
#include "base/discard.h"
#include "base/parallel.h"
#include "base/text.h"
#include "gate/analysis.h"
#include "package/owners.h"
#include "python/evaluate.h"

namespace ungate::audit {
namespace {

class Audit {
 public:
  Audit(const package::Environment& environment, const rules::RuleSet& rules, const Options& options)
      : environment_(environment), rules_(rules), options_(options), texts_(options.archive != nullptr ? &options.archive->texts : options.overlay), store_(environment, texts_),
        owners_(environment),
        program_([this](const std::string& path) { return store_.load(path); }) {
    report_.environment = &environment;
    report_.targets = options.targets;
  }

  Result<Report> run() {
    rules::assume_defaults(rules_, report_.world);
    report_.world.assume({value::Free::Kind::toolkit, Symbol("CUDA")}, std::string("13.0"), "default");
    cuda::assume_linux_gcc(cuda_world_, "default");
    cuda::assume_toolkit(cuda_world_, 13, 0, "default");
    for (const gate::PackageRules& package : rules_.gate.packages) {
      for (const auto& [name, body] : package.macros) {
        cuda_world_.assume({value::Free::Kind::macro, Symbol(name)}, body, package.file);
        target_macros_.push_back(name);
      }
    }
    assume();
    start("walk");
    look();
    start("scan");
    auto policy = thread_count(options_.threads) > 1 ? std::launch::async : std::launch::deferred;
    auto binaries = std::async(policy, [this] { read_binaries(); });
    read();
    binaries.get();
    report_.unread.insert(report_.unread.end(), objects_.unread.begin(), objects_.unread.end());
    if (interrupted()) return stop();
    start("evaluate");
    evaluation_ = std::make_unique<python::Evaluation>(program_, rules_.python, report_.world);
    gate::Inputs inputs = gate_inputs();
    // The Python and the C++ side know nothing of each other until they are judged.
    auto reading = std::async(policy, [&] { return gate::read_cuda(inputs); });
    evaluate();
    if (interrupted()) return stop();
    start("judge");
    gate::CudaReading read = reading.get();
    judge(inputs, std::move(read));
    start("");
    return std::move(report_);
  }

 private:
  bool interrupted() const { return options_.cancelled != nullptr && *options_.cancelled; }
  static std::unexpected<Error> stop() { return fail(ErrorCode::interrupted, "interrupted; nothing was written"); }

  // What the user assumes: later entries win over the defaults above.
  void assume() {
    for (const value::World::Entry& entry : options_.assume) {
      report_.world.assume(entry.free, entry.value, entry.origin);
      cuda_world_.assume(entry.free, entry.value, entry.origin);
      if (entry.free.kind != value::Free::Kind::toolkit) continue;
      std::int64_t major = 0, minor = 0;
      const auto* version = std::get_if<std::string>(&entry.value);
      auto parts = text::split(version == nullptr ? std::string_view() : std::string_view(*version), '.');
      if (parts.size() == 2 && text::parse_int(parts[0], major) && text::parse_int(parts[1], minor)) {
        cuda::assume_toolkit(cuda_world_, static_cast<int>(major), static_cast<int>(minor), entry.origin);
      }
    }
  }

  void start(std::string stage) {
    auto now = std::chrono::steady_clock::now();
    if (!stage_.empty()) report_.stages.push_back({stage_, std::chrono::duration<double>(now - began_).count()});
    stage_ = std::move(stage);
    began_ = now;
    if (options_.progress && !stage_.empty()) options_.progress(stage_, 0, 0);
  }

  void look() {
    std::vector<std::string> roots;
    for (const package::Site& site : environment_.sites) roots.push_back(site.path);
    static const std::atomic<bool> never{false};
    const auto& cancelled = options_.cancelled == nullptr ? never : *options_.cancelled;
    if (options_.archive != nullptr) {
      walk_.files = options_.archive->files;
      walk_.seen = options_.archive->seen;
      walk_.unread = options_.archive->objects.unread;
    } else {
      walk_ = walk(roots, options_.excludes, options_.threads, cancelled);
    }
    // A site inside another one owns its files.
    std::erase_if(walk_.files, [&](const FoundFile& f) {
      return environment_.sites.size() > 1 && environment_.site_of(store_.absolute(f)) != f.root;
    });
    auto count = [&](FileKind kind) {
      return static_cast<std::size_t>(std::ranges::count(walk_.files, kind, &FoundFile::kind));
    };
    report_.counts.python = count(FileKind::python);
    report_.counts.cuda = count(FileKind::cuda);
    report_.counts.binaries = count(FileKind::library);
    for (const FoundFile& f : walk_.files) store_.add(f);
    report_.counts.seen = walk_.seen;
    report_.unread = std::move(walk_.unread);
  }

  void read() {
    static const std::atomic<bool> never{false};
    scan_ = scan(walk_.files, python::seed_words(rules_.python), rules_.gate.host.seeds, target_macros_, store_, texts_, options_.threads,
                 options_.cancelled == nullptr ? never : *options_.cancelled);
    report_.unread.insert(report_.unread.end(), scan_.unread.begin(), scan_.unread.end());
    report_.counts.guarded = scan_.cuda.size();
    for (const FoundFile& f : scan_.python) program_.add(f.path);
    index_ = WordIndex(scan_.words, options_.threads);
    program_.tell_definers([this](Symbol name, Symbol package) {
      return modules_with(python::as_definition(python::hash_word(name.text())), &near(package));
    });
  }

  // A plan that is checked before it is written changes no binary.
  void read_binaries() {
    if (!options_.binaries || options_.overlay != nullptr) return;
    ObjectOptions options;
    options.threads = options_.threads;
    options.cancelled = options_.cancelled;
    options.owners = &owners_;
    if (options_.archive != nullptr) {
      objects_.files = options_.archive->objects.files;
      return;
    }
    objects_ = read_objects(environment_, walk_.files, options);
  }

  // Gates that know their site and owner already.
  void keep(std::vector<gate::Gate> gates) {
    for (gate::Gate& gate : gates) {
      if (wanted(gate)) report_.gates.push_back(std::move(gate));
    }
  }

  // Rounds: names that turn out to depend on the device are looked for in the next one.
  void evaluate() {
    if (options_.watch) {
      if (auto id = program_.find_path(options_.watch->path)) evaluation_->watch(*id, options_.watch->offset);
    }
    std::vector<char> holds = scan_.seeded;
    std::unordered_set<python::ModuleId> evaluated;
    for (int round = 0; round < kRounds && !interrupted(); ++round) {
      std::vector<python::ModuleId> modules;
      for (std::size_t i = 0; i < holds.size(); ++i) {
        if (!holds[i]) continue;
        if (auto id = program_.find_path(scan_.python[i].path)) modules.push_back(*id);
      }
      evaluated.insert(modules.begin(), modules.end());
      if (options_.progress) options_.progress("evaluate", static_cast<std::size_t>(round), modules.size());
      std::vector<python::DerivedWord> fresh = evaluation_->run(modules, options_.threads);
      if (fresh.empty()) break;
      holds.assign(holds.size(), 0);
      for (const auto& [word, package] : fresh) {
        const std::vector<char>& close = near(package);
        for (std::uint32_t i : index_.files_with(word)) holds[i] = holds[i] || close[i];
      }
    }
    report_.counts.evaluated = evaluated.size();
    for (const auto& [place, what] : evaluation_->problems()) {
      report_.unread.push_back({program_[place.module].file->at(place.range.begin), what});
    }
  }

  // By file: whether it is of a package, or names it. One thread asks at a time: the evaluation, then the callers.
  const std::vector<char>& near(Symbol package) const {
    auto [entry, fresh] = near_.try_emplace(package);
    if (!fresh) return entry->second;
    std::string_view name = package.text();
    std::vector<char>& out = entry->second;
    out.assign(scan_.python.size(), python::is_recorded(name) ? 0 : 1);
    // For others a package that is not read is one by name: what depends on the device in it tells them nothing.
    if (!rules_.python.opaque.contains(package)) {
      for (std::uint32_t i : index_.files_with(python::hash_word(name))) out[i] = 1;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::string& path = scan_.python[i].path;
      bool starts = path.size() > name.size() && path.starts_with(name);
      if (starts && (path[name.size()] == '/' || path[name.size()] == '.')) out[i] = 1;
    }
    return out;
  }

  std::vector<python::ModuleId> modules_with(python::WordHash word, const std::vector<char>* among = nullptr) const {
    std::vector<python::ModuleId> out;
    for (std::uint32_t i : index_.files_with(word)) {
      if (among != nullptr && !(*among)[i]) continue;
      if (auto id = program_.find_path(scan_.python[i].path)) out.push_back(*id);
    }
    return out;
  }

  python::Texts texts_of_modules() const {
    using python::hash_word;
    return {[this](Symbol word) { return modules_with(hash_word(word.text())); },
            [this](Symbol word, Symbol package) { return modules_with(hash_word(word.text()), &near(package)); },
            [this](Symbol word) { return modules_with(python::as_definition(hash_word(word.text()))); },
            [this](const auto& modules, const auto& f) { each_text(modules, f); }};
  }

  void each_text(const std::vector<python::ModuleId>& modules, const std::function<void(std::size_t, std::string_view)>& f) const {
    parallel_for(modules.size(), options_.threads, [&](std::size_t i) {
      store_.look(program_[modules[i]].path, [&](std::string_view text) { f(i, text); });
    }, 16);
  }

  gate::Inputs gate_inputs() {
    knowledge_ = known_here(rules_.gate, environment_, walk_);
    cuda_.emplace([this](const std::string& path) { return store_.load(path); }, cuda_world_, knowledge_.vocabulary);
    natives_ = Natives(environment_, objects_, options_.archive != nullptr,
                       options_.targets);
    return {program_, *evaluation_, *cuda_, knowledge_, scan_.cuda, scan_.host,
            [this](const std::vector<Symbol>& names, const std::string& folder) {
              return cuda_holders(walk_.files, names, folder, headers(), store_, options_.threads);
            },
            texts_of_modules(),
            options_.targets,
            natives_.libraries(), options_.threads, options_.open_too};
  }

  std::vector<std::string> headers() const {
    std::vector<std::string> out;
    for (const gate::PackageRules& package : rules_.gate.packages) out.insert(out.end(), package.headers.begin(), package.headers.end());
    return out;
  }

  void judge(const gate::Inputs& inputs, gate::CudaReading reading) {
    gate::Findings findings = gate::analyse(inputs, std::move(reading));
    report_.counts.modules = findings.modules.size();
    report_.not_checked = std::move(findings.not_checked);
    package::Owner owner;
    const std::string* asked = nullptr;  // gates of one file follow each other
    for (gate::Gate& gate : findings.gates) {
      gate.site = store_.root_of(gate.path);
      for (gate::Standing& s : gate.standings) {
        if (s.lift) for (gate::LiftEdit& edit : s.lift->edits) edit.site = store_.root_of(edit.path);
      }
      if (asked == nullptr || *asked != gate.path) owner = owners_.find(gate.site, gate.path);
      asked = &gate.path;
      if (owner.distribution != nullptr) {
        gate.package = owner.distribution->name;
        gate.version = owner.distribution->version_text;
      }
    }
    keep(std::move(findings.gates));
    std::vector<gate::Gate> binaries = binary_gates(objects_, options_.targets);
    explain_loaders(binaries, *evaluation_, program_);
    natives_.tell_uses(findings.native, binaries);
    keep(std::move(binaries));
    std::ranges::stable_sort(report_.gates, {}, [](const gate::Gate& g) { return std::tie(g.site, g.path, g.range.begin); });
    std::ranges::sort(report_.unread, {}, &Unread::path);
    if (options_.inspect) options_.inspect({report_, store_, program_, *evaluation_, *cuda_, cuda_world_});
  }

  bool wanted(const gate::Gate& gate) const {
    if (!options_.packages.empty() && std::ranges::find(options_.packages, gate.package) == options_.packages.end()) return false;
    if (environment_.selected.empty()) return true;
    std::string full = environment_.sites[gate.site].path + '/' + gate.path;
    return std::ranges::any_of(environment_.selected, [&](const std::string& s) {
      return full == s || (full.starts_with(s) && full[s.size()] == '/');
    });
  }

  static constexpr int kRounds = 10;

  const package::Environment& environment_;
  const rules::RuleSet& rules_;
  const Options& options_;
  const Overlay* texts_;
  FileStore store_;
  package::Owners owners_;
  python::Program program_;
  value::World cuda_world_;
  std::vector<std::string> target_macros_;
  gate::Knowledge knowledge_;
  std::optional<gate::CudaFiles> cuda_;
  Walk walk_;
  Objects objects_;
  Natives natives_;
  Scan scan_;
  WordIndex index_;
  mutable std::map<Symbol, std::vector<char>> near_;
  std::unique_ptr<python::Evaluation> evaluation_;
  Report report_;
  std::string stage_;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace

Result<Report> audit(const package::Environment& environment, const rules::RuleSet& rules, const Options& options) {
  auto audit = std::make_unique<Audit>(environment, rules, options);
  auto report = audit->run();
  discard(std::move(audit));
  return report;
}

}  // namespace ungate::audit
