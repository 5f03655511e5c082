#include "patch/request.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"

namespace ungate::patch {
namespace {

arch::DeviceSet set_of(const std::vector<arch::Device>& devices) {
  arch::DeviceSet out;
  for (arch::Device d : devices) out |= arch::DeviceSet::of(d.index());
  return out;
}

// "allreduce-sm12x" and "flashinfer-python/allreduce-sm12x" mean the set.
bool is_set(const PatchSet& set, std::string_view text) {
  return set.id == text || std::string_view(set.id).substr(set.id.find('/') + 1) == text;
}

// "auto" means the member in any set, "allreduce-sm12x:auto" that of one.
bool is_member(const PatchSet& set, const Member& member, std::string_view text) {
  std::size_t colon = text.rfind(':');
  if (colon == text.npos) return member.name == text;
  return member.name == text.substr(colon + 1) && is_set(set, text.substr(0, colon));
}

Status check_members(const std::vector<const PatchSet*>& sets,
                     const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::vector<std::string> known;
    bool found = false;
    for (const PatchSet* set : sets) {
      for (const Member& member : set->members) {
        found = found || is_member(*set, member, name);
        known.push_back(member.name);
      }
    }
    if (found) continue;
    return fail(ErrorCode::usage, fmt::format("no patch set that is taken has a member '{}'", name),
                {},
                known.empty() ? "no patch set is taken" : "members: " + text::join(known, ", "));
  }
  return {};
}

}  // namespace

bool is_named(const PatchSet& set, const Member& member, const std::vector<std::string>& names) {
  return std::ranges::any_of(names,
                             [&](const std::string& n) { return is_member(set, member, n); });
}

Result<std::vector<const PatchSet*>> choose_sets(const std::vector<PatchSet>& sets,
                                                 const Request& request) {
  std::vector<const PatchSet*> out;
  arch::DeviceSet targets = set_of(request.targets);
  for (const std::string& name : request.sets) {
    auto found = std::ranges::find_if(sets, [&](const PatchSet& s) { return is_set(s, name); });
    if (found == sets.end()) {
      std::vector<std::string> ids;
      for (const PatchSet& s : sets) ids.push_back(s.id);
      return fail(ErrorCode::usage, fmt::format("there is no patch set '{}'", name), {},
                  "patch sets: " + text::join(ids, ", "));
    }
    if ((found->targets & targets).empty()) {
      return fail(ErrorCode::usage, fmt::format("the patch set {} is for {}", found->id,
                                                arch::to_text(found->targets)));
    }
    out.push_back(&*found);
  }
  for (const PatchSet& s : sets) {
    if (request.sets.empty() && !request.no_sets && !(s.targets & targets).empty())
      out.push_back(&s);
  }
  for (const auto* names : {&request.members, &request.without}) {
    if (auto status = check_members(out, *names); !status) return std::unexpected(status.error());
  }
  return out;
}

std::vector<arch::Device> devices_to_judge(const std::vector<const PatchSet*>& sets,
                                           const Request& request) {
  arch::DeviceSet all = set_of(request.targets);
  for (const PatchSet* set : sets) all |= set->targets;
  // A lift brings its target's whole family along, perhaps.
  if (!request.lifts.empty()) {
    for (arch::Device target : request.targets) {
      for (unsigned d : arch::known_devices()) {
        if (arch::Device(d).major() == target.major()) all |= arch::DeviceSet::of(d);
      }
    }
  }
  std::vector<arch::Device> out;
  for (unsigned d : all) out.emplace_back(d);
  return out;
}

}  // namespace ungate::patch
