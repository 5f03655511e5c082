#include "report/remedy.h"

#include <algorithm>

#include "package/version.h"

namespace ungate::report {
namespace {

bool is_about(const patch::PatchSet& set, const gate::Gate& gate) {
  auto version = package::Version::parse(gate.version);
  if (!version) return false;
  auto touches = [&](const patch::Step& step) {
    return step.gate && step.gate->path == gate.path;
  };
  return std::ranges::any_of(set.members, [&](const patch::Member& m) {
    return m.package == gate.package && m.versions.contains(*version) &&
           std::ranges::any_of(m.steps, touches);
  });
}

}  // namespace

std::vector<std::string> sets_for(const std::vector<const patch::PatchSet*>& sets,
                                  arch::Device target, const Entries& entries) {
  std::vector<std::string> ids;
  for (const patch::PatchSet* set : sets) {
    if (!set->targets.contains(arch::DeviceSet::of(target.index()))) continue;
    if (std::ranges::any_of(entries, [&](const Entry& e) { return is_about(*set, *e.gate); }))
      ids.push_back(set->id);
  }
  return ids;
}

}  // namespace ungate::report
