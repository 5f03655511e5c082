#include "patch/resolve_step.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "patch/anchor.h"
#include "patch/gate_match.h"

namespace ungate::patch {
namespace {

using gate::Gate;

// What of the wanted devices a gate shuts out.
arch::DeviceSet shut_out(const Gate& gate, arch::DeviceSet wanted) {
  arch::DeviceSet out;
  for (unsigned d : wanted) {
    if (!lets_in(gate, arch::Device(d))) out |= arch::DeviceSet::of(d);
  }
  return out;
}

void add_once(std::vector<std::string>& list, const std::vector<std::string>& items) {
  for (const std::string& item : items) {
    if (std::ranges::find(list, item) == list.end()) list.push_back(item);
  }
}

// The edits of a gate's own lift for these devices, each once; false, with `why`, if it has none.
bool lift_edits(const Gate& gate, arch::DeviceSet devices, const std::string& step,
                StepOutcome& out, std::string& why) {
  for (unsigned d : devices) {
    const gate::Standing* s = standing_of(gate, arch::Device(d));
    if (s == nullptr || s->admits == gate::Admits::unknown) {
      why = fmt::format("whether it admits {} is not known", arch::Device(d).name());
      if (s != nullptr && !s->unknown_because.empty()) why += ": " + s->unknown_because.front();
      return false;
    }
    if (!s->lift || s->lift->edits.empty()) {
      why = s->lift && !s->lift->refused.empty() ? s->lift->refused : "its spelling has no edit";
      return false;
    }
    for (const gate::LiftEdit& e : s->lift->edits) {
      bool there = std::ranges::any_of(
          out.edits, [&](const PlannedEdit& p) { return p.path == e.path && p.edit == e.edit; });
      if (!there) out.edits.push_back({e.site, e.path, e.edit, step});
    }
    add_once(out.modules, s->lift->modules);
  }
  return true;
}

class StepResolver {
 public:
  StepResolver(const PatchSet& set, const Step& step, const Ground& ground, Texts& texts,
               StepOutcome& out)
      : set_(set), step_(step), ground_(ground), texts_(texts), out_(out) {}

  Status run() {
    out_.modules = set_.modules;
    if (step_.gate) {
      auto text = file(step_.gate->path);
      if (!text) return std::unexpected(text.error());
      if (*text == nullptr || !look_at_gates(**text)) return {};
    }
    if (step_.edits.empty()) return lift();
    return edit();
  }

 private:
  void be(std::string_view state, std::string detail, std::string where = {}) {
    out_.record.state = state;
    out_.record.detail = std::move(detail);
    if (!where.empty()) out_.where = std::move(where);
  }

  // Null, and the step has drifted, if the file is not there.
  Result<const Text*> file(const std::string& path) {
    auto text = texts_.find(path);
    if (text && *text == nullptr) be(state::drifted, "the file is not there", path);
    return text;
  }

  // False if nothing is left to do, or it cannot be done.
  bool look_at_gates(const Text& text) {
    GateMatch match = match_gates(ground_.gates, *step_.gate, text.site, *text.file, step_.every);
    if (match.gates.empty()) {
      // Of a condition that is gone nothing is left to open: upstream may have dropped it.
      if (is_superseded()) return false;
      be(match.ambiguous ? state::ambiguous : state::drifted, match.why, match.where);
      return false;
    }
    out_.where = place_of(*match.gates[0]);
    for (const Gate* g : match.gates) {
      if (arch::DeviceSet shut = shut_out(*g, step_.admit); !shut.empty()) {
        std::vector<std::string> part = step_.splits ? set_.modules : std::vector<std::string>();
        out_.openings.push_back({g, step_.admit, step_.splits, std::move(part), step_.id});
      } else {
        hold(text.site, g->path);
      }
    }
    if (!out_.openings.empty()) return true;
    if (!is_superseded()) {
      be(state::already_admitted,
         match.gates.size() == 1
             ? fmt::format("it admits {}", arch::to_text(match.gates[0]->admitted))
             : fmt::format("all {} gates admit {}", match.gates.size(),
                           arch::to_text(step_.admit)));
    }
    return false;
  }

  void hold(std::uint32_t site, const std::string& path) {
    std::pair<std::uint32_t, std::string> file{site, path};
    if (std::ranges::find(out_.holds, file) == out_.holds.end())
      out_.holds.push_back(std::move(file));
  }

  Status lift() {
    std::string why;
    for (const Opening& o : out_.openings) {
      if (lift_edits(*o.gate, shut_out(*o.gate, step_.admit), step_.id, out_, why)) continue;
      be(state::drifted,
         fmt::format("'{}' cannot be lifted: {}", text::one_line(o.gate->expression, 60), why),
         place_of(*o.gate));
      out_.edits.clear();
      return {};
    }
    be(state::applies, fmt::format("{}, {}", text::count(out_.openings.size(), "gate"),
                                   text::count(out_.edits.size(), "edit")));
    return {};
  }

  bool is_superseded() {
    if (step_.superseded_by.empty()) return false;
    auto text = texts_.find(step_.edits.front().path);
    if (!text || *text == nullptr) return false;
    std::vector<std::uint32_t> at = occurrences((*text)->file->text(), step_.superseded_by);
    if (at.empty()) return false;
    hold((*text)->site, (*text)->file->path());
    be(state::superseded,
       fmt::format("the package has it: '{}'", text::one_line(step_.superseded_by, 60)),
       (*text)->file->at(at[0]));
    return true;
  }

  Status edit() {
    if (is_superseded()) return {};
    std::size_t in_place = 0;
    for (const TextEdit& e : step_.edits) {
      auto text = file(e.path);
      if (!text) return std::unexpected(text.error());
      if (*text == nullptr) return give_up();
      const source::SourceFile& source = *(*text)->file;
      Anchor anchor = find_anchor(source, e);
      switch (anchor.found) {
        case Anchor::Found::once:
          out_.edits.push_back(
              {(*text)->site, e.path, {anchor.range, e.replace, e.with}, step_.id});
          if (out_.where.empty()) out_.where = source.at(anchor.range.begin);
          break;
        case Anchor::Found::in_place:
          ++in_place;
          hold((*text)->site, e.path);
          if (out_.where.empty()) out_.where = source.at(anchor.range.begin);
          break;
        case Anchor::Found::several: {
          std::vector<std::string> lines;
          for (std::uint32_t line : anchor.lines) lines.push_back(std::to_string(line));
          be(state::ambiguous,
             fmt::format("the text to replace stands on the lines {}", text::join(lines, ", ")),
             fmt::format("{}:{}", e.path, anchor.lines.front()));
          return give_up();
        }
        case Anchor::Found::missing:
          be(state::drifted, anchor.why,
             anchor.line == 0 ? e.path : fmt::format("{}:{}", e.path, anchor.line));
          return give_up();
      }
    }
    if (!out_.edits.empty()) {
      be(state::applies, text::count(out_.edits.size(), "edit"));
    } else if (!out_.openings.empty()) {
      const Gate& gate = *out_.openings.front().gate;
      be(state::drifted, "the text is in place, and the gate shuts the target out nevertheless",
         place_of(gate));
    } else {
      be(state::already_admitted,
         in_place == 1 ? "the text is in place" : "the texts are in place");
    }
    return {};
  }

  Status give_up() {
    out_.edits.clear();
    return {};
  }

  const PatchSet& set_;
  const Step& step_;
  const Ground& ground_;
  Texts& texts_;
  StepOutcome& out_;
};

}  // namespace

bool StepOutcome::fits() const {
  return record.state != state::drifted && record.state != state::ambiguous;
}

Result<StepOutcome> resolve_step(const PatchSet& set, const Member& member, const Step& step,
                                 const Ground& ground, Texts& texts) {
  StepOutcome out;
  out.step = &step;
  out.record = {set.id, step.id, member.package, {}, {}, {}};
  const package::Distribution* d = ground.environment.find(member.package);
  if (d == nullptr) {
    out.record.state = state::not_installed;
    out.record.detail = fmt::format("{} is not installed", member.package);
    return out;
  }
  out.record.version = d->version_text;
  if (!d->version || !member.versions.contains(*d->version)) {
    out.record.state = state::not_installed;
    out.record.detail =
        fmt::format("it is for {} {}; {} is installed", member.package, member.versions.text(),
                    d->version_text.empty() ? "an unknown version" : d->version_text);
    return out;
  }
  if (auto status = StepResolver(set, step, ground, texts, out).run(); !status)
    return std::unexpected(status.error());
  if (!out.fits()) out.openings.clear();
  return out;
}

StepOutcome resolve_lift(const Gate& gate, const Request& request, std::vector<Error>& refusals) {
  StepOutcome out;
  out.record = {"lift", gate.id, gate.package, gate.version, std::string(state::already_admitted),
                {}};
  out.where = place_of(gate);
  arch::DeviceSet wanted, comes_along;
  for (arch::Device d : request.targets) wanted |= arch::DeviceSet::of(d.index());
  arch::DeviceSet shut = shut_out(gate, wanted);
  if (shut.empty()) {
    out.record.detail = fmt::format("it admits {}", arch::to_text(gate.admitted));
    out.holds.emplace_back(gate.site, gate.path);
    return out;
  }
  auto refuse = [&](std::string why, std::string next) {
    out.record.state = state::drifted;
    out.record.detail = why;
    refusals.push_back(
        {ErrorCode::refused,
         fmt::format("'{}' is not lifted: {}", text::one_line(gate.expression, 80), why), out.where,
         std::move(next)});
    out.edits.clear();
    return out;
  };
  for (unsigned d : shut) {
    const gate::Standing* s = standing_of(gate, arch::Device(d));
    if (s == nullptr) continue;
    if (s->verdict == gate::Verdict::capability) {
      std::string what =
          s->evidence.empty() ? std::string() : fmt::format(" ({})", s->evidence.front().what);
      return refuse(fmt::format("what is behind it cannot run on {}{}", s->device.name(), what),
                    "see `ungate explain " + gate.id + "`");
    }
    if (s->verdict != gate::Verdict::policy && !request.lift_unknown) {
      return refuse(
          fmt::format("it is not known whether what is behind it runs on {}", s->device.name()),
          "see `ungate explain " + gate.id + "`; --allow-unknown lifts it nevertheless");
    }
    if (s->lift) comes_along |= s->lift->also_admits;
  }
  std::string why;
  if (!lift_edits(gate, shut, gate.id, out, why))
    return refuse(why, "see `ungate rules list` for a patch set that opens it");
  out.record.state = state::applies;
  out.record.detail = text::count(out.edits.size(), "edit");
  if (!(comes_along - wanted).empty())
    out.record.detail += "; admits " + arch::to_text(comes_along - wanted) + ", too";
  out.openings.push_back({&gate, wanted | comes_along, false, {}, gate.id});
  return out;
}

}  // namespace ungate::patch
