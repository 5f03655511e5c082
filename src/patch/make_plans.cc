#include "patch/make_plans.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/hash.h"
#include "base/text.h"
#include "patch/closure.h"

namespace ungate::patch {
namespace {

class Maker {
 public:
  Maker(const Request& request, const Ground& ground, Texts& texts, Resolution& resolution)
      : request_(request), ground_(ground), texts_(texts), out_(resolution) {}

  Status run() {
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

 private:
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
    if (!*bytes)
      return fail(ErrorCode::drift, "is not there any more", site.path + '/' + id.second);
    auto change = make_change(site.path, id.second, std::move(**bytes), std::move(edits), steps);
    if (!change)
      change.error().next = fmt::format("the steps {} do not go together", text::join(steps, ", "));
    return change;
  }

  // Steps, what the plan relies on, and caches: of all that was taken in this root.
  void complete(Plan& plan) {
    bool whole = out_.plans.size() == 1;
    std::map<std::string, std::vector<std::string>> modules;  // by package
    for (const StepOutcome* s : taken_steps(out_)) {
      bool edits_here = std::ranges::any_of(s->edits, [&](const PlannedEdit& e) {
        return ground_.environment.sites[e.site].root == plan.root;
      });
      bool here = whole || edits_here || std::ranges::any_of(s->holds, [&](const FileId& f) {
                    return ground_.environment.sites[f.first].root == plan.root;
                  });
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
    auto same = [&](const auto& other) {
      return other.site == site.path && other.path == file.second;
    };
    if (site.root != plan.root || std::ranges::any_of(plan.files, same) ||
        std::ranges::any_of(plan.relies_on, same))
      return;
    auto text = texts_.find(file.second);
    if (text && *text != nullptr)
      plan.relies_on.push_back({site.path, file.second, sha256_hex((*text)->file->text())});
  }

  const Request& request_;
  const Ground& ground_;
  Texts& texts_;
  Resolution& out_;
};

}  // namespace

std::vector<const StepOutcome*> taken_steps(const Resolution& resolution) {
  std::vector<const StepOutcome*> steps;
  for (const SetOutcome& set : resolution.sets) {
    for (const MemberOutcome& m : set.members) {
      for (const StepOutcome& s : m.steps) {
        if (m.chosen) steps.push_back(&s);
      }
    }
  }
  for (const StepOutcome& s : resolution.lifts) steps.push_back(&s);
  return steps;
}

Status make_plans(const Request& request, const Ground& ground, Texts& texts,
                  Resolution& resolution) {
  return Maker(request, ground, texts, resolution).run();
}

}  // namespace ungate::patch
