#include "patch/resolve.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "patch/closure.h"
#include "patch/gate_match.h"
#include "patch/make_plans.h"
#include "patch/resolve_step.h"
#include "patch/texts.h"

namespace ungate::patch {
namespace {

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
    std::ranges::move(missing_needs(out_.openings, ground_.gates, ground_.sets),
                      std::back_inserter(out_.refusals));
    if (out_.refusals.empty() && !out_.edits.empty()) {
      if (auto status = make_plans(request_, ground_, texts_, out_); !status)
        return std::unexpected(status.error());
    }
    if (!out_.refusals.empty()) out_.plans.clear();
    return std::move(out_);
  }

 private:
  Status add_set(const PatchSet& set) {
    SetOutcome outcome{&set, {}, {}};
    for (const Member& member : set.members) {
      MemberOutcome m{&member, false, {}, {}};
      m.chosen = (member.by_default || is_named(set, member, request_.members)) &&
                 !is_named(set, member, request_.without);
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
    return std::ranges::none_of(
        m.steps, [](const StepOutcome& s) { return s.record.state == state::not_installed; });
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
      const MemberOutcome& need = *std::ranges::find(
          set.members, name, [](const MemberOutcome& o) { return o.member->name; });
      if (need.chosen) continue;
      bool wanted = is_named(*set.set, *m.member, request_.members);
      m.chosen = false;
      m.why = fmt::format("it needs {}, which is not taken: {}", name, need.why);
      if (wanted)
        out_.refusals.push_back(
            {ErrorCode::refused,
             fmt::format("member {} of {}: {}", m.member->name, set.set->id, m.why),
             {},
             {}});
      return;
    }
    for (const StepOutcome& s : m.steps) {
      if (s.fits()) continue;
      std::string next =
          m.member->by_default && set.set->members.size() > 1
              ? fmt::format(
                    "`ungate audit` shows what is there; --no-member {} leaves this member out",
                    m.member->name)
              : "`ungate audit` shows what is there";
      out_.refusals.push_back(
          {ErrorCode::does_not_fit,
           fmt::format("step {} of {} does not fit {} {} ({}): {}", s.record.id, set.set->id,
                       s.record.package, s.record.version, s.record.state, s.record.detail),
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
    return std::string(applies      ? state::applies
                       : superseded ? state::superseded
                       : admitted   ? state::already_admitted
                                    : state::not_installed);
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
      return fail(ErrorCode::not_found,
                  fmt::format("'{}' names {}", text, found.empty() ? "no gate" : "several gates"),
                  {}, "`ungate audit --all` lists gates with their ids");
    }
    out_.lifts.push_back(resolve_lift(*found[0], request_, out_.refusals));
    return {};
  }

  void gather() {
    for (const StepOutcome* s : taken_steps(out_)) {
      for (const PlannedEdit& e : s->edits) {
        bool there = std::ranges::any_of(out_.edits, [&](const PlannedEdit& o) {
          return o.site == e.site && o.path == e.path && o.edit == e.edit;
        });
        if (!there) out_.edits.push_back(e);
      }
      for (const Opening& o : s->openings) {
        auto same = std::ranges::find(out_.openings, o.gate, &Opening::gate);
        if (same == out_.openings.end())
          out_.openings.push_back(o);
        else
          same->admit |= o.admit, same->splits |= o.splits;
      }
    }
  }

  const std::vector<const PatchSet*>& sets_;
  const Request& request_;
  const Ground& ground_;
  Texts texts_;
  Resolution out_;
};

}  // namespace

Result<Resolution> resolve(const std::vector<const PatchSet*>& sets, const Request& request,
                           const Ground& ground) {
  return Resolver(sets, request, ground).run();
}

}  // namespace ungate::patch
