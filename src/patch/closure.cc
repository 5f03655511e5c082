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

  // The same of what is to be opened.
  std::vector<const Gate*> of(const Opening& opening) const {
    std::vector<const Gate*> out = of(*opening.gate, opening.admit);
    if (opening.splits && !opening.modules.empty()) {
      std::erase_if(out, [&](const Gate* need) { return is_of_others(*need, opening); });
    }
    return out;
  }

 private:
  // Whether a gate shuts devices only out of modules that are not in the part that is opened.
  static bool is_of_others(const Gate& gate, const Opening& opening) {
    bool of_others = false;
    for (const gate::Standing& s : gate.standings) {
      if (!s.lift) continue;
      for (const std::string& m : s.lift->modules) {
        if (std::ranges::find(opening.modules, m) != opening.modules.end()) return false;
        of_others = true;
      }
    }
    return of_others;
  }

  std::map<std::string, const Gate*> by_id_;
};

// What it comes to if a gate stays closed while what needs it is opened, the worst first.
int rank(gate::Effect e) {
  switch (e) {
    case gate::Effect::empty_kernel:
      return 0;
    case gate::Effect::race:
      return 1;
    case gate::Effect::wrong_limit:
      return 2;
    case gate::Effect::no_code:
      return 3;
    case gate::Effect::fails_build:
      return 4;
    case gate::Effect::raises:
      return 5;
    default:
      return 6;
  }
}

// "a.cuh: empty-kernel at line 711 (0b016181); race at 417 (76bf5c85), 485 (d9afc8e0); b.py: …"
std::string listed(std::vector<const Gate*> gates, arch::Device device) {
  auto effect = [&](const Gate* g) {
    const gate::Standing* s = standing_of(*g, device);
    return s == nullptr ? gate::Effect::none : s->effect;
  };
  std::ranges::stable_sort(gates, {}, [&](const Gate* g) {
    return std::tuple(g->path, rank(effect(g)), effect(g), g->range.begin);
  });
  std::string out;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const Gate& g = *gates[i];
    bool same_file = i > 0 && gates[i - 1]->path == g.path;
    if (!same_file) {
      out += fmt::format("{}{}: {} at line ", i == 0 ? "" : "; ", g.path, name_of(effect(&g)));
    } else if (effect(gates[i - 1]) != effect(&g)) {
      out += fmt::format("; {} at ", name_of(effect(&g)));
    } else {
      out += ", ";
    }
    out += fmt::format("{} ({})", g.begin.line, g.id);
  }
  return out;
}

// Everything that would have to be opened with a gate, and what that needs in turn.
std::vector<const Gate*> missing_for(const Opening& opening, const Needs& needs,
                                     const std::set<const Gate*>& opened) {
  std::vector<const Gate*> missing, open = needs.of(opening);
  while (!open.empty()) {
    const Gate* at = open.back();
    open.pop_back();
    if (opened.contains(at) || std::ranges::find(missing, at) != missing.end()) continue;
    missing.push_back(at);
    std::ranges::copy(needs.of(*at, opening.admit), std::back_inserter(open));
  }
  std::ranges::sort(missing, {}, [](const Gate* g) { return std::tie(g->path, g->range.begin); });
  return missing;
}

}  // namespace

const PatchSet* set_for(const std::vector<PatchSet>& sets, const Gate& gate) {
  for (const PatchSet& set : sets) {
    for (const Member& member : set.members) {
      for (const Step& step : member.steps) {
        if (step.gate && fits(gate, *step.gate)) return &set;
      }
    }
  }
  return nullptr;
}

std::vector<Error> missing_needs(const std::vector<Opening>& openings,
                                 const std::vector<Gate>& gates,
                                 const std::vector<PatchSet>& sets) {
  std::vector<Error> out;
  Needs needs(gates);
  std::set<const Gate*> opened;
  for (const Opening& o : openings) opened.insert(o.gate);
  for (const Opening& o : openings) {
    std::vector<const Gate*> missing = missing_for(o, needs, opened);
    if (missing.empty()) continue;
    std::string next = "add";
    for (const Gate* g : missing) next += " --lift " + g->id;
    if (const PatchSet* set = set_for(sets, *o.gate)) {
      next = fmt::format("take the patch set {} instead, which opens them all", set->id);
    }
    out.push_back(
        {ErrorCode::refused,
         fmt::format("'{}' alone is not opened: {} behind it would still shut {} out: {}",
                     text::one_line(o.gate->expression, 80), text::count(missing.size(), "gate"),
                     arch::to_text(o.admit), listed(missing, arch::Device(o.admit.front()))),
         place_of(*o.gate), next});
  }
  return out;
}

Result<std::vector<FileId>> write_order(std::vector<FileId> files,
                                        const std::vector<Opening>& openings,
                                        const std::vector<Gate>& gates) {
  Needs needs(gates);
  std::map<FileId, std::set<FileId>> behind;  // file -> those that are to be written before it
  for (const Opening& o : openings) {
    FileId mine{o.gate->site, o.gate->path};
    for (const Gate* need : needs.of(o)) {
      FileId other{need->site, need->path};
      if (other != mine && std::ranges::find(files, other) != files.end())
        behind[mine].insert(other);
    }
  }
  std::vector<FileId> out;
  while (!files.empty()) {
    auto next = std::ranges::find_if(files, [&](const FileId& f) {
      return std::ranges::all_of(
          behind[f], [&](const FileId& b) { return std::ranges::find(files, b) == files.end(); });
    });
    if (next == files.end()) {
      return fail(ErrorCode::refused,
                  "files hold gates that need each other, so that no order of writing them is safe",
                  files.front().second);
    }
    out.push_back(std::move(*next));
    files.erase(next);
  }
  return out;
}

}  // namespace ungate::patch
