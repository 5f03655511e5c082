#include "patch/resolve.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/hash.h"
#include "base/text.h"
#include "patch/closure.h"
#include "patch/gate_match.h"
#include "patch/resolve_step.h"
#include "patch/texts.h"

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

bool is_named(const PatchSet& set, const Member& member, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](const std::string& n) { return is_member(set, member, n); });
}

Status check_members(const std::vector<const PatchSet*>& sets, const std::vector<std::string>& names) {
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
    return fail(ErrorCode::usage, fmt::format("no patch set that is taken has a member '{}'", name), {},
                known.empty() ? "no patch set is taken" : "members: " + text::join(known, ", "));
  }
  return {};
}

class Resolver {
 public:
  Resolver(const std::vector<const PatchSet*>& sets, const Request& request, const Ground& ground)
      : sets_(sets), request_(request), ground_(ground), texts_(ground) {}

  Result<Resolution> run() {
    for (const PatchSet* set : sets_) {
      if (auto status = add_set(*set); !status) return std::unexpected(status.error());
    }
    for (const std::string& lift : request_.lifts) {
      if (auto status = add_lift(lift); !status) return std::unexpected(status.error());
    }
    gather();
    std::ranges::move(missing_needs(out_.openings, ground_.gates, sets_), std::back_inserter(out_.refusals));
    if (out_.refusals.empty() && !out_.edits.empty()) {
      if (auto status = make_plans(); !status) return std::unexpected(status.error());
    }
    if (!out_.refusals.empty()) out_.plans.clear();
    return std::move(out_);
  }

 private:
  Status add_set(const PatchSet& set) {
    SetOutcome outcome{&set, {}, {}};
    for (const Member& member : set.members) {
      MemberOutcome m{&member, false, {}, {}};
      m.chosen = (member.by_default || is_named(set, member, request_.members)) && !is_named(set, member, request_.without);
      if (!m.chosen) m.why = member.by_default ? "left out by the command line" : member.reason;
      for (const Step& step : member.steps) {
        auto resolved = resolve_step(set, member, step, ground_, texts_);
        if (!resolved) return std::unexpected(resolved.error());
        m.steps.push_back(std::move(*resolved));
      }
      outcome.members.push_back(std::move(m));
    }
    for (MemberOutcome& m : outcome.members) check_member(outcome, m);
    outcome.state = state_of(outcome);
    out_.sets.push_back(std::move(outcome));
    return {};
  }

  static bool is_installed(const MemberOutcome& m) {
    return std::ranges::none_of(m.steps, [](const StepOutcome& s) { return s.record.state == state::not_installed; });
  }

  // Whether a chosen member is written: all of its steps fit, and so do the members that it needs.
  void check_member(SetOutcome& set, MemberOutcome& m) {
    if (!m.chosen) return;
    if (!is_installed(m)) {
      m.chosen = false;
      m.why = m.steps.front().record.detail;
      return;
    }
    for (const std::string& name : m.member->needs) {
      const MemberOutcome& need = *std::ranges::find(set.members, name, [](const MemberOutcome& o) { return o.member->name; });
      if (need.chosen) continue;
      bool wanted = is_named(*set.set, *m.member, request_.members);
      m.chosen = false;
      m.why = fmt::format("it needs {}, which is not taken: {}", name, need.why);
      if (wanted) out_.refusals.push_back({ErrorCode::refused, fmt::format("member {} of {}: {}", m.member->name, set.set->id, m.why), {}, {}});
      return;
    }
    for (const StepOutcome& s : m.steps) {
      if (s.fits()) continue;
      std::string next = m.member->by_default && set.set->members.size() > 1
                             ? fmt::format("`ungate audit` shows what is there; --no-member {} leaves this member out", m.member->name)
                             : "`ungate audit` shows what is there";
      out_.refusals.push_back({ErrorCode::does_not_fit,
                               fmt::format("step {} of {} does not fit {} {} ({}): {}", s.record.id, set.set->id, s.record.package,
                                           s.record.version, s.record.state, s.record.detail),
                               s.where, next});
    }
  }

  static std::string state_of(const SetOutcome& set) {
    bool applies = false, superseded = false, admitted = false;
    for (const MemberOutcome& m : set.members) {
      if (!m.chosen) continue;
      for (const StepOutcome& s : m.steps) {
        if (!s.fits()) return s.record.state;
        applies = applies || s.record.state == state::applies;
        superseded = superseded || s.record.state == state::superseded;
        admitted = admitted || s.record.state == state::already_admitted;
      }
    }
    return std::string(applies ? state::applies : superseded ? state::superseded : admitted ? state::already_admitted : state::not_installed);
  }

  Status add_lift(const std::string& text) {
    std::vector<const gate::Gate*> found;
    for (const gate::Gate& g : ground_.gates) {
      if (g.id == text || place_of(g) == text) found.push_back(&g);
    }
    if (found.empty() && text.size() >= 3) {
      for (const gate::Gate& g : ground_.gates) {
        if (g.id.starts_with(text)) found.push_back(&g);
      }
    }
    if (found.size() != 1) {
      return fail(ErrorCode::not_found, fmt::format("'{}' names {}", text, found.empty() ? "no gate" : "several gates"), {},
                  "`ungate audit --all` lists gates with their ids");
    }
    out_.lifts.push_back(resolve_lift(*found[0], request_, out_.refusals));
    return {};
  }

  // Steps that are taken, in order.
  std::vector<const StepOutcome*> taken() const {
    std::vector<const StepOutcome*> steps;
    for (const SetOutcome& set : out_.sets) {
      for (const MemberOutcome& m : set.members) {
        for (const StepOutcome& s : m.steps) {
          if (m.chosen) steps.push_back(&s);
        }
      }
    }
    for (const StepOutcome& s : out_.lifts) steps.push_back(&s);
    return steps;
  }

  void gather() {
    for (const StepOutcome* s : taken()) {
      for (const PlannedEdit& e : s->edits) {
        bool there = std::ranges::any_of(out_.edits, [&](const PlannedEdit& o) { return o.site == e.site && o.path == e.path && o.edit == e.edit; });
        if (!there) out_.edits.push_back(e);
      }
      for (const Opening& o : s->openings) {
        auto same = std::ranges::find(out_.openings, o.gate, &Opening::gate);
        if (same == out_.openings.end()) out_.openings.push_back(o);
        else same->admit |= o.admit, same->splits |= o.splits;
      }
    }
  }

  // A file stands where its last edit does.
  std::vector<FileId> files() const {
    std::vector<FileId> out;
    for (const PlannedEdit& e : out_.edits) {
      FileId id{e.site, e.path};
      std::erase(out, id);
      out.push_back(std::move(id));
    }
    return out;
  }

  Status make_plans() {
    auto order = write_order(files(), out_.openings, ground_.gates);
    if (!order) {
      out_.refusals.push_back(order.error());
      return {};
    }
    for (const FileId& id : *order) {
      const package::Site& site = ground_.environment.sites[id.first];
      auto plan = std::ranges::find(out_.plans, site.root, &Plan::root);
      if (plan == out_.plans.end()) {
        out_.plans.push_back({site.root, target_name(), {}, {}, {}, {}});
        plan = out_.plans.end() - 1;
      }
      auto change = change_of(id, site);
      if (!change) return std::unexpected(change.error());
      plan->files.push_back(std::move(*change));
    }
    for (Plan& plan : out_.plans) complete(plan);
    return {};
  }

  std::string target_name() const {
    std::vector<std::string> names;
    for (arch::Device d : request_.targets) names.push_back(d.name());
    return text::join(names, ",");
  }

  Result<FileChange> change_of(const FileId& id, const package::Site& site) {
    std::vector<source::Edit> edits;
    std::vector<std::string> steps;
    for (const PlannedEdit& e : out_.edits) {
      if (e.site != id.first || e.path != id.second) continue;
      edits.push_back(e.edit);
      if (std::ranges::find(steps, e.step) == steps.end()) steps.push_back(e.step);
    }
    auto bytes = ground_.load(id.first, id.second);
    if (!bytes) return std::unexpected(bytes.error());
    if (!*bytes) return fail(ErrorCode::drift, "is not there any more", site.path + '/' + id.second);
    auto change = make_change(site.path, id.second, std::move(**bytes), std::move(edits), steps);
    if (!change) change.error().next = fmt::format("the steps {} do not go together", text::join(steps, ", "));
    return change;
  }

  // Steps, what the plan relies on, and caches: of all that was taken in this root.
  void complete(Plan& plan) {
    bool whole = out_.plans.size() == 1;
    std::map<std::string, std::vector<std::string>> modules;  // by package
    for (const StepOutcome* s : taken()) {
      bool edits_here = std::ranges::any_of(s->edits, [&](const PlannedEdit& e) { return ground_.environment.sites[e.site].root == plan.root; });
      bool here = whole || edits_here || std::ranges::any_of(s->holds, [&](const FileId& f) { return ground_.environment.sites[f.first].root == plan.root; });
      if (here) plan.steps.push_back(s->record);
      if (edits_here) {
        for (const std::string& m : s->modules) {
          std::vector<std::string>& list = modules[s->record.package];
          if (std::ranges::find(list, m) == list.end()) list.push_back(m);
        }
      }
      for (const FileId& f : s->holds) rely_on(plan, f);
    }
    for (const auto& [package, names] : modules) {
      auto rules = ground_.caches.find(package);
      if (rules == ground_.caches.end()) continue;
      for (CacheRule rule : rules->second) {
        rule.modules = names;
        plan.caches.push_back(std::move(rule));
      }
    }
  }

  void rely_on(Plan& plan, const FileId& file) {
    const package::Site& site = ground_.environment.sites[file.first];
    auto same = [&](const auto& other) { return other.site == site.path && other.path == file.second; };
    if (site.root != plan.root || std::ranges::any_of(plan.files, same) || std::ranges::any_of(plan.relies_on, same)) return;
    auto text = texts_.find(file.second);
    if (text && *text != nullptr) plan.relies_on.push_back({site.path, file.second, sha256_hex((*text)->file->text())});
  }

  const std::vector<const PatchSet*>& sets_;
  const Request& request_;
  const Ground& ground_;
  Texts texts_;
  Resolution out_;
};

}  // namespace

Result<std::vector<const PatchSet*>> choose_sets(const std::vector<PatchSet>& sets, const Request& request) {
  std::vector<const PatchSet*> out;
  arch::DeviceSet targets = set_of(request.targets);
  for (const std::string& name : request.sets) {
    auto found = std::ranges::find_if(sets, [&](const PatchSet& s) { return is_set(s, name); });
    if (found == sets.end()) {
      std::vector<std::string> ids;
      for (const PatchSet& s : sets) ids.push_back(s.id);
      return fail(ErrorCode::usage, fmt::format("there is no patch set '{}'", name), {}, "patch sets: " + text::join(ids, ", "));
    }
    if ((found->targets & targets).empty()) {
      return fail(ErrorCode::usage, fmt::format("the patch set {} is for {}", found->id, arch::to_text(found->targets)));
    }
    out.push_back(&*found);
  }
  for (const PatchSet& s : sets) {
    if (request.sets.empty() && !request.no_sets && !(s.targets & targets).empty()) out.push_back(&s);
  }
  for (const auto* names : {&request.members, &request.without}) {
    if (auto status = check_members(out, *names); !status) return std::unexpected(status.error());
  }
  return out;
}

std::vector<arch::Device> devices_to_judge(const std::vector<const PatchSet*>& sets, const Request& request) {
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

Result<Resolution> resolve(const std::vector<const PatchSet*>& sets, const Request& request, const Ground& ground) {
  return Resolver(sets, request, ground).run();
}

}  // namespace ungate::patch
