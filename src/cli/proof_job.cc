#include "cli/proof_job.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"

namespace ungate::cli {
namespace {

using prove::ModulePlan;
using prove::Work;

KnownModules collect(const Subject& subject, const audit::Inside& inside, bool walk) {
  KnownModules out;
  for (const gate::JitModule& module : gate::jit_modules(inside.evaluation, inside.program, subject.rules.gate.packages, inside.cuda)) {
    const std::string& package = module.package->package;
    if (!out.built.contains(package)) out.built[package] = gate::built_targets(inside.evaluation, inside.program, *module.rules);
    ModulePlan plan = prove::plan_module(module, out.built[package], inside.cuda, walk);
    if (!plan.name.empty() || !plan.sources.empty()) out.modules.push_back(std::move(plan));
  }
  out.gates = inside.report.gates;
  return out;
}

// Conditions in kernels that shut a target out.
std::vector<prove::Guard> guards_for(const std::vector<gate::Gate>& gates, const std::vector<arch::Device>& targets) {
  std::vector<prove::Guard> out;
  for (const gate::Gate& g : gates) {
    for (const gate::Standing& s : g.standings) {
      bool takes = s.effect == gate::Effect::empty_kernel || s.effect == gate::Effect::race;
      if (s.admits == gate::Admits::yes || !takes || std::ranges::find(targets, s.device) == targets.end()) continue;
      std::string kernel = g.enclosing.substr(g.enclosing.rfind(':') == g.enclosing.npos ? 0 : g.enclosing.rfind(':') + 1);
      prove::Guard guard{kernel, fmt::format("{}:{}", g.path, g.begin.line), g.expression};
      // What empties a kernel is named before what takes a wait.
      if (s.effect == gate::Effect::empty_kernel) out.insert(out.begin(), guard);
      else out.push_back(guard);
    }
  }
  return out;
}

arch::DeviceSet set_of(const std::vector<arch::Device>& devices) {
  arch::DeviceSet out;
  for (arch::Device d : devices) out |= arch::DeviceSet::of(d.index());
  return out;
}

const ModulePlan* find(const std::vector<ModulePlan>& modules, const ModulePlan& like) {
  auto at = std::ranges::find_if(modules, [&](const ModulePlan& m) { return m.name == like.name && m.sources == like.sources; });
  return at == modules.end() ? nullptr : &*at;
}

// A device for which the module was built all along: 9.0 where it can be, since most are written for it.
// Else one of another generation than the devices that are asked about: what these lack, their kin lack too.
std::optional<arch::CodeTarget> reference_of(const ModulePlan& plan, arch::DeviceSet not_these, arch::CodeTargetSet built) {
  auto kin = [&](arch::Device device) {
    bool out = false;
    for (unsigned d : not_these) out = out || arch::Device(d).cc() / 10 == device.cc() / 10;
    return out;
  };
  auto rank = [&](arch::Device device) { return std::tuple(device.cc() == 90, !kin(device), device.cc() / 10 == 10, -device.cc()); };  // older ones are known to more compilers
  std::optional<arch::Device> best;
  for (unsigned d : plan.described - not_these) {
    arch::Device device(d);
    if (!best || rank(device) > rank(*best)) best = device;
  }
  if (!best) return std::nullopt;
  auto build = prove::build_for(plan, *best, built);
  return build ? std::optional(build->targets.front()) : std::nullopt;
}

// The audit's word on a module: of the gates in the function that describes it, the one that shuts the
// device out, the hardest verdict first.
std::string judgement(const ModulePlan& module, const std::vector<gate::Gate>& gates, arch::Device device) {
  std::string out = module.described.has(device.index()) ? "admitted" : "not described";
  for (const gate::Gate& g : gates) {
    bool inside = g.enclosing == module.builder || g.enclosing.ends_with('.' + module.builder);
    if (!inside) continue;
    for (const gate::Standing& s : g.standings) {
      if (s.device != device || s.verdict == gate::Verdict::none) continue;
      std::string verdict(gate::name_of(s.verdict));
      if (out != "capability") out = verdict;
    }
  }
  return out;
}

class Touching {
 public:
  Touching(const KnownModules& before, const KnownModules& after, const TouchRequest& request)
      : before_(before), after_(after), request_(request), targets_(set_of(request.targets)) {}

  TouchedUnits run(gate::CudaFiles& files) {
    for (const ModulePlan& module : after_.modules) one(module);
    if (request_.quick) keep_fewest();
    std::set<std::string> paths, folders;
    for (const Work& w : out_.work) folders.insert(w.unit.folders.begin(), w.unit.folders.end());
    for (const std::string& p : reached_) paths.insert(p);
    out_.folders.assign(folders.begin(), folders.end());
    out_.kernels = prove::kernel_sources({paths.begin(), paths.end()}, files);
    out_.guards = guards_for(after_.gates, request_.targets);
    return std::move(out_);
  }

 private:
  bool reaches(const std::vector<std::string>& files) const {
    return std::ranges::any_of(request_.files, [&](const std::string& f) { return std::ranges::find(files, f) != files.end(); });
  }

  void one(const ModulePlan& module) {
    const ModulePlan* old = find(before_.modules, module);
    arch::DeviceSet described_before = old == nullptr ? arch::DeviceSet() : old->described;
    arch::DeviceSet fresh = module.described - described_before;
    arch::CodeTargetSet built = after_.built.at(module.package);
    bool touched = false;
    for (std::size_t i = 0; i < module.sources.size(); ++i) {
      bool reached = i < module.files.size() && reaches(module.files[i]);
      if (!reached && fresh.empty()) continue;
      touched = true;
      // Those that come along are proved as well.
      arch::DeviceSet devices = (targets_ | (request_.quick ? arch::DeviceSet() : fresh)) & module.described;
      if (devices.empty() && reached) {
        devices = targets_;
        note(fmt::format("module {}: its package does not build it for {}; it is compiled all the same", module.name, to_text(targets_ - module.described)));
      }
      add(module, old, i, devices, reached, built);
    }
    if (touched && !module.unknown.empty())
      out_.not_proved.push_back(fmt::format("module {}: not known: {}", module.name, text::join(module.unknown, ", ")));
  }

  void add(const ModulePlan& module, const ModulePlan* old, std::size_t source, arch::DeviceSet devices, bool reached, arch::CodeTargetSet built) {
    const std::string& path = module.sources[source];
    if (path.ends_with(".cuh")) return;   // templates: see ModulePlan::unknown
    if (!path.ends_with(".cu")) {
      note(fmt::format("module {}: {} is for the host compiler alone and was not compiled", module.name, path));
      return;
    }
    // One piece of work for each set of flags.
    std::vector<Work> found;
    auto work_for = [&](const prove::Unit& unit) -> Work& {
      auto at = std::ranges::find_if(found, [&](const Work& w) { return w.unit == unit; });
      if (at != found.end()) return *at;
      found.push_back({unit, {}, {}, std::nullopt, reached});
      return found.back();
    };
    auto each = [&](const ModulePlan& plan, arch::DeviceSet set, auto&& use) {
      for (unsigned d : set) {
        auto build = prove::build_for(plan, arch::Device(d), built);
        if (!build) continue;
        auto unit = std::ranges::find(build->units, path, &prove::Unit::source);
        if (unit != build->units.end()) use(work_for(*unit), build->targets.front());
      }
    };
    each(module, devices, [](Work& w, arch::CodeTarget t) { w.targets.push_back(t); });
    if (reached && old != nullptr) each(*old, old->described - devices, [](Work& w, arch::CodeTarget t) { w.others.push_back(t); });
    for (Work& w : found) {
      if (old != nullptr) w.reference = reference_of(*old, devices, built);
      if (request_.quick && w.others.size() > 1) w.others = quick_others(w.others);
      if (source < module.files.size()) reached_.insert(module.files[source].begin(), module.files[source].end());
      out_.work.push_back(std::move(w));
    }
  }

  // The newest one only: comparing texts is cheap, but not free.
  static std::vector<arch::CodeTarget> quick_others(const std::vector<arch::CodeTarget>& all) {
    return {*std::ranges::max_element(all, {}, [](arch::CodeTarget t) { return t.device().cc(); })};
  }

  // The fewest units that hold every edited file that any unit holds.
  void keep_fewest() {
    std::map<std::string, std::vector<std::string>> files_of;
    for (const ModulePlan& m : after_.modules) {
      for (std::size_t i = 0; i < m.sources.size() && i < m.files.size(); ++i) files_of[m.sources[i]] = m.files[i];
    }
    std::set<std::string> open;
    for (const Work& w : out_.work) {
      for (const std::string& f : request_.files) {
        const auto& files = files_of[w.unit.source];
        if (std::ranges::find(files, f) != files.end()) open.insert(f);
      }
    }
    std::vector<Work> kept;
    auto gain = [&](const Work& w) {
      const auto& files = files_of[w.unit.source];
      return std::ranges::count_if(open, [&](const std::string& f) { return std::ranges::find(files, f) != files.end(); });
    };
    while (!open.empty()) {
      auto best = std::ranges::max_element(out_.work, {}, gain);
      if (best == out_.work.end() || gain(*best) == 0) break;
      const auto& files = files_of[best->unit.source];
      std::erase_if(open, [&](const std::string& f) { return std::ranges::find(files, f) != files.end(); });
      kept.push_back(*best);
    }
    if (kept.empty() && !out_.work.empty()) kept.push_back(out_.work.front());
    if (kept.size() < out_.work.size())
      note(fmt::format("--quick: {} of {} left out", text::count(out_.work.size() - kept.size(), "unit"), out_.work.size()));
    out_.work = std::move(kept);
  }

  void note(std::string text) {
    if (std::ranges::find(out_.not_proved, text) == out_.not_proved.end()) out_.not_proved.push_back(std::move(text));
  }

  const KnownModules& before_;
  const KnownModules& after_;
  const TouchRequest& request_;
  arch::DeviceSet targets_;
  std::set<std::string> reached_;
  TouchedUnits out_;
};

Status audit_with(const Subject& subject, const package::Environment& environment,
                  const audit::Overlay* overlay, const std::function<void(const audit::Inside&)>& look) {
  audit::Options options = subject.options;
  options.overlay = overlay;
  options.inspect = look;
  auto report = audit::audit(environment, subject.rules, options);
  if (!report) return std::unexpected(report.error());
  return {};
}

}  // namespace

Result<KnownModules> know_modules(const Subject& subject, const package::Environment& environment,
                                  const audit::Overlay* overlay) {
  KnownModules out;
  auto status = audit_with(subject, environment, overlay, [&](const audit::Inside& inside) { out = collect(subject, inside, false); });
  if (!status) return std::unexpected(status.error());
  return out;
}

Result<TouchedUnits> touched_units(const Subject& subject, const package::Environment& environment,
                                   const audit::Overlay& overlay,
                                   const KnownModules& before, const TouchRequest& request) {
  TouchedUnits out;
  auto status = audit_with(subject, environment, &overlay, [&](const audit::Inside& inside) {
    KnownModules after = collect(subject, inside, true);
    out = Touching(before, after, request).run(inside.cuda);
  });
  if (!status) return std::unexpected(status.error());
  return out;
}

Result<TouchedUnits> module_units(const Subject& subject, const package::Environment& environment,
                                  const std::vector<std::string>& names,
                                  const std::vector<arch::Device>& targets) {
  TouchedUnits out;
  std::set<std::string> found, names_known;
  bool all = std::ranges::find(names, "all") != names.end();
  auto status = audit_with(subject, environment, nullptr, [&](const audit::Inside& inside) {
    KnownModules known = collect(subject, inside, true);
    std::set<std::string> paths, folders;
    for (const ModulePlan& module : known.modules) {
      if (!module.name.empty()) names_known.insert(module.name);
      if (!all && std::ranges::find(names, module.name) == names.end()) continue;
      found.insert(module.name);
      out.judged[module.name] = judgement(module, known.gates, targets.front());
      arch::CodeTargetSet built = known.built.at(module.package);
      for (const std::string& u : module.unknown) out.not_proved.push_back(fmt::format("module {}: not known: {}", module.name.empty() ? "(unnamed)" : module.name, u));
      for (arch::Device target : targets) {
        auto build = prove::build_for(module, target, built);
        if (!build) continue;
        for (const prove::Unit& unit : build->units) {
          out.work.push_back({unit, build->targets, {}, reference_of(module, set_of({target}), built), false});
          folders.insert(unit.folders.begin(), unit.folders.end());
        }
      }
      for (const auto& files : module.files) paths.insert(files.begin(), files.end());
    }
    out.folders.assign(folders.begin(), folders.end());
    out.kernels = prove::kernel_sources({paths.begin(), paths.end()}, inside.cuda);
    out.guards = guards_for(known.gates, targets);
  });
  if (!status) return std::unexpected(status.error());
  for (const std::string& name : names) {
    if (name != "all" && !found.contains(name))
      return fail(ErrorCode::not_found, "no module is called '" + name + "'", {},
                  "known are " + text::join({names_known.begin(), names_known.end()}, ", "));
  }
  return out;
}

}  // namespace ungate::cli
