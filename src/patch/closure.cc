#include "patch/closure.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "base/text.h"
#include "patch/gate_match.h"

namespace ungate::patch {
namespace {

using gate::Gate;

class Needs {
 public:
  explicit Needs(const std::vector<Gate>& gates) {
    for (const Gate& g : gates) by_id_.emplace(g.id, &g);
  }

  // What a gate needs before it lets one of these devices in, without those that do so already.
  std::vector<const Gate*> of(const Gate& gate, arch::DeviceSet devices) const {
    std::vector<const Gate*> out;
    for (unsigned d : devices) {
      const gate::Standing* s = standing_of(gate, arch::Device(d));
      if (s == nullptr || !s->lift) continue;
      for (const std::string& id : s->lift->needs) {
        auto found = by_id_.find(id);
        if (found == by_id_.end() || lets_in(*found->second, arch::Device(d))) continue;
        if (std::ranges::find(out, found->second) == out.end()) out.push_back(found->second);
      }
    }
    return out;
  }

 private:
  std::map<std::string, const Gate*> by_id_;
};

// A set that has a step for a gate of this file; empty if none has.
std::string set_for(const std::vector<const PatchSet*>& sets, const Gate& gate) {
  for (const PatchSet* set : sets) {
    for (const Member& member : set->members) {
      for (const Step& step : member.steps) {
        if (step.gate && step.gate->path == gate.path) return set->id;
      }
    }
  }
  return {};
}

}  // namespace

std::vector<Error> missing_needs(const std::vector<Opening>& openings, const std::vector<Gate>& gates,
                                 const std::vector<const PatchSet*>& sets) {
  std::vector<Error> out;
  Needs needs(gates);
  std::set<const Gate*> opened;
  for (const Opening& o : openings) opened.insert(o.gate);
  for (const Opening& o : openings) {
    // Everything that would have to be added, and what that needs in turn.
    std::vector<const Gate*> missing, open{o.gate};
    while (!open.empty()) {
      const Gate* at = open.back();
      open.pop_back();
      for (const Gate* need : needs.of(*at, o.admit)) {
        if (opened.contains(need) || std::ranges::find(missing, need) != missing.end()) continue;
        missing.push_back(need);
        open.push_back(need);
      }
    }
    if (missing.empty()) continue;
    std::ranges::sort(missing, {}, [](const Gate* g) { return std::tie(g->path, g->range.begin); });
    std::vector<std::string> places;
    std::string lifts;
    for (const Gate* g : missing) {
      const gate::Standing* s = standing_of(*g, arch::Device(o.admit.front()));
      std::string effect = s == nullptr ? "" : std::string(", ") + std::string(name_of(s->effect));
      places.push_back(fmt::format("{} ({}{})", place_of(*g), g->id, effect));
      lifts += " --lift " + g->id;
    }
    std::string set = set_for(sets, *o.gate);
    std::string next = set.empty() ? "add" + lifts : fmt::format("take the patch set {}, or add{}", set, lifts);
    out.push_back({ErrorCode::refused,
                   fmt::format("'{}' alone is not opened: {} behind it would still shut {} out: {}",
                               text::one_line(o.gate->expression, 80), text::count(missing.size(), "gate"),
                               arch::to_text(o.admit), text::join(places, ", ")),
                   place_of(*o.gate), next});
  }
  return out;
}

Result<std::vector<FileId>> write_order(std::vector<FileId> files, const std::vector<Opening>& openings,
                                        const std::vector<Gate>& gates) {
  Needs needs(gates);
  std::map<FileId, std::set<FileId>> behind;  // file -> those that are to be written before it
  for (const Opening& o : openings) {
    FileId mine{o.gate->site, o.gate->path};
    for (const Gate* need : needs.of(*o.gate, o.admit)) {
      FileId other{need->site, need->path};
      if (other != mine && std::ranges::find(files, other) != files.end()) behind[mine].insert(other);
    }
  }
  std::vector<FileId> out;
  while (!files.empty()) {
    auto next = std::ranges::find_if(files, [&](const FileId& f) {
      return std::ranges::all_of(behind[f], [&](const FileId& b) { return std::ranges::find(files, b) == files.end(); });
    });
    if (next == files.end()) {
      return fail(ErrorCode::refused, "files hold gates that need each other, so that no order of writing them is safe",
                  files.front().second);
    }
    out.push_back(std::move(*next));
    files.erase(next);
  }
  return out;
}

}  // namespace ungate::patch
