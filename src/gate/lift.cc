#include "gate/lift.h"

#include <fmt/core.h>

#include "cuda/condition_edit.h"
#include "gate/lift_host.h"
#include "gate/lift_python.h"

namespace ungate::gate {
namespace {

using arch::Device;

// The suffixed code targets that a package builds for the device, or all of the device's.
arch::CodeTargetSet wanted_targets(const Inputs& in, const Item& item, const std::vector<JitModule>& modules, Device target) {
  arch::CodeTargetSet mine = arch::code_targets_of(target);
  for (std::size_t m : item.holds) {
    arch::CodeTargetSet built = built_targets(in.evaluation, in.program, *modules[m].rules) & mine;
    if (!built.empty()) return built;
  }
  return mine;
}

Lift lift_guard(const Inputs& in, const Item& item, const std::vector<JitModule>& modules,
                std::map<std::size_t, WalkedModule>& walked, Device target) {
  Lift out;
  const std::string& path = item.gate.path;
  const cuda::FileResult* result = nullptr;
  for (std::size_t m : item.holds) result = walked.at(m).result(path);
  if (result == nullptr) result = &in.cuda.with_headers(path);
  auto again = [&](cuda::FileText edited) { return cuda::evaluate_file(edited, in.cuda.world()); };
  auto lift = cuda::lift_arm(*in.cuda.text(path), *result, item.arm, wanted_targets(in, item, modules, target), {}, again);
  if (!lift) {
    out.refused = lift.error().what;
    return out;
  }
  for (const source::Edit& edit : lift->edits) out.edits.push_back({path, item.gate.site, edit, in.cuda.file(path)->position(edit.range.begin)});
  out.also_admits = arch::devices_of(lift->also) - arch::DeviceSet::of(target.index());
  return out;
}

}  // namespace

void make_lifts(const Inputs& in, std::vector<Item>& items, const std::vector<JitModule>& modules,
                std::map<std::size_t, WalkedModule>& walked) {
  for (Item& item : items) {
    for (Standing& s : item.gate.standings) {
      if (s.admits != Admits::no || s.effect == Effect::definition) continue;
      if (s.verdict == Verdict::capability) {
        s.lift = Lift{.refused = "what it guards cannot run on " + s.device.name()};
      } else {
        s.lift = item.is_python() ? lift_python(item, *in.program[item.choice.place.module].file, s.device)
                 : item.is_host() ? lift_host(item, *in.cuda.file(item.gate.path), s.device)
                                  : lift_guard(in, item, modules, walked, s.device);
        for (ItemId n : item.needs) s.lift->needs.push_back(items[n].gate.id);
      }
      for (std::size_t m : item.holds) {
        if (!modules[m].name.empty()) s.lift->modules.push_back(modules[m].name);
      }
    }
  }
}

}  // namespace ungate::gate
