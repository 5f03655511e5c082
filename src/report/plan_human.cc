// The plan for people: what each patch set comes to here, the diff, what was checked, what would
// hide the edits, and what to do next.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "report/plan_view.h"
#include "report/words.h"

namespace ungate::report {
namespace {

namespace state = patch::state;

constexpr std::size_t kMostListed = 12;

std::string_view sentence_of_state(std::string_view s) {
  if (s == state::applies) return "to be written";
  if (s == state::already_admitted) return "there already";
  if (s == state::superseded) return "superseded: the package has it";
  if (s == state::drifted) return "does not fit: the files are not those that it was made for";
  if (s == state::ambiguous) return "does not fit: it could mean several places";
  return "not for what is installed";
}

std::string names_of(const std::vector<arch::Device>& devices) {
  std::vector<std::string> names;
  for (arch::Device d : devices) names.push_back(d.name());
  return text::join(names, ", ");
}

class Human {
 public:
  Human(const PlanView& view, const Style& style)
      : view_(view),
        style_(style),
        paint_(style.colour),
        width_(static_cast<std::size_t>(style.width)) {}

  std::string text() {
    title();
    for (const patch::SetOutcome& set : view_.resolution.sets) one_set(set);
    lifts();
    for (const patch::Plan& plan : view_.resolution.plans) diff(plan);
    refusals();
    if (!view_.empty() && view_.refusals.empty()) {
      checked();
      hidden();
      running();
      unproved();
    }
    next();
    return std::move(out_);
  }

 private:
  void title() {
    out_ += paint_.bold("ungate plan for " + names_of(view_.targets)) + "\n  in " +
            text::escape(view_.environment->title()) + '\n';
  }

  void one_set(const patch::SetOutcome& set) {
    if (set.state == state::not_installed && view_.resolution.sets.size() > 1) return;
    out_ += '\n' + paint_.bold(set.set->id) + "  " + set.set->title + '\n';
    out_ += "  " + std::string(sentence_of_state(set.state));
    if (auto run = view_.applied_by.find(set.set->id);
        set.state == state::already_admitted && run != view_.applied_by.end()) {
      out_ += ", by run " + run->second;
    }
    out_ += "; source: " + set.set->source + '\n';
    std::size_t width = 0;
    for (const patch::MemberOutcome& m : set.members) {
      for (const patch::StepOutcome& s : m.steps) width = std::max(width, s.record.id.size());
    }
    for (const patch::MemberOutcome& m : set.members) member(m, width);
  }

  void member(const patch::MemberOutcome& m, std::size_t width) {
    const patch::PlanStep& first = m.steps.front().record;
    std::string package =
        first.version.empty() ? first.package : first.package + ' ' + first.version;
    out_ += "\n  " + paint_.bold(m.member->name) + " (" + text::escape(package) + ")";
    if (!m.chosen) {
      out_ += ": left out\n" + wrapped(m.why + choosing(m), 4, width_);
      return;
    }
    out_ += m.member->what.empty() ? "\n" : "\n" + wrapped(m.member->what, 4, width_);
    for (const patch::StepOutcome& s : m.steps) step(s, width);
  }

  // How to have a member nevertheless.
  static std::string choosing(const patch::MemberOutcome& m) {
    bool fits = std::ranges::all_of(m.steps, [](const patch::StepOutcome& s) {
      return s.fits() && s.record.state != state::not_installed;
    });
    return fits && !m.member->by_default ? fmt::format("; --member {} takes it", m.member->name)
                                         : std::string();
  }

  void step(const patch::StepOutcome& s, std::size_t width) {
    std::string state = s.record.state;
    bool wrong = !s.fits();
    out_ += "    " + padded(s.record.id, width) + "  " +
            (wrong ? paint_.red(padded(state, 16)) : padded(state, 16)) + "  ";
    std::string detail = s.record.detail;
    if (!s.where.empty())
      detail += (detail.empty() ? "" : "  ") + paint_.dim(text::escape(s.where));
    out_ += (wrong ? text::escape(s.record.detail) + "  " + text::escape(s.where) : detail) + '\n';
  }

  void lifts() {
    if (view_.resolution.lifts.empty()) return;
    out_ += '\n' + paint_.bold("Lifts") + '\n';
    for (const patch::StepOutcome& s : view_.resolution.lifts) step(s, 8);
  }

  void diff(const patch::Plan& plan) {
    patch::PlanDiff d = patch::diff(plan);
    std::size_t edits = 0;
    for (const patch::FileChange& c : plan.files) edits += c.edits.size();
    out_ +=
        fmt::format("\n{}: {} in {}, in the order in which they are written (patch -p1 in {})\n\n",
                    paint_.bold("Diff"), text::count(edits, "edit"),
                    text::count(plan.files.size(), "file"), text::escape(d.folder));
    for (std::string_view line : text::lines(d.text)) {
      std::string safe;
      for (std::string_view part : text::split(line, '\t'))
        safe += (safe.empty() ? "" : "\t") + text::escape(part);
      bool head = line.starts_with("---") || line.starts_with("+++");
      out_ += (head                    ? paint_.bold(safe)
               : line.starts_with('+') ? paint_.green(safe)
               : line.starts_with('-') ? paint_.red(safe)
                                       : safe) +
              '\n';
    }
  }

  void refusals() {
    if (view_.refusals.empty()) return;
    out_ += '\n' + paint_.bold("Nothing may be written") + '\n';
    for (const Error& e : view_.refusals) {
      out_ += wrapped(text::escape((e.where.empty() ? "" : e.where + ": ") + e.what), 2, width_);
      if (!e.next.empty()) out_ += wrapped(text::escape(e.next), 4, width_);
    }
  }

  void checked() {
    const patch::LiftCheck& c = view_.check;
    arch::DeviceSet admit;
    for (const patch::Opening& o : view_.resolution.openings) admit |= o.admit;
    std::string follow = c.followed.empty()
                             ? ""
                             : fmt::format("; {} with them: {}",
                                           text::count(c.followed.size(), "use opens", "uses open"),
                                           listed(c.followed));
    out_ += '\n' + paint_.bold("Checked") + " by auditing the edited texts\n";
    out_ += wrapped(
        fmt::format("{} for {}{}; {} as before. No device is lost, none beyond these is added.",
                    text::count(c.opened, "gate opens", "gates open"), arch::to_text(admit), follow,
                    text::count(c.unchanged, "gate", "gates")),
        2, width_);
  }

  static std::string listed(const std::vector<std::string>& items) {
    std::vector<std::string> shown(
        items.begin(),
        items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), kMostListed)));
    std::string out = text::join(shown, ", ");
    return items.size() > kMostListed
               ? out + fmt::format(" and {} more", items.size() - kMostListed)
               : out;
  }

  // What was built from the old sources, or is loaded instead of the new ones.
  void hidden() {
    for (const RootView& r : view_.roots) {
      if (r.stale.empty()) continue;
      std::size_t caches = r.stale.caches.size(), bytecode = r.stale.bytecode.size();
      std::string what = caches == 0
                             ? text::count(bytecode, ".pyc file")
                             : text::count(caches, "JIT cache folder") +
                                   (bytecode == 0 ? "" : ", " + text::count(bytecode, ".pyc file"));
      out_ += '\n' + paint_.bold("Stale") + " once this is written: " + what +
              (r.clears ? "; apply clears them\n"
                        : "; apply leaves them (--clear-caches clears them)\n");
      for (const patch::CacheFolder& c : r.stale.caches) {
        out_ += "  " + text::escape(c.path()) +
                (c.problem.empty() ? "" : "  " + text::escape(c.problem)) + '\n';
      }
    }
    if (!view_.prebuilt.empty()) {
      out_ += '\n' + paint_.bold("Prebuilt") +
              " modules are loaded instead of what the edited sources give\n";
      for (const patch::Prebuilt& p : view_.prebuilt)
        out_ += "  " + text::escape(p.path) +
                (p.version.empty() ? "" : "  (" + p.package + ' ' + p.version + ')') + '\n';
    }
    for (const CopiesView& c : view_.copies) {
      out_ += '\n' + paint_.bold("Copies") + " of " + c.name +
              (c.shadowed ? ": another one is imported before the edited one\n"
                          : " that are not edited\n");
      for (const std::string& path : c.others) out_ += "  " + text::escape(path) + '\n';
    }
  }

  void running() {
    if (view_.processes.uses.empty() && view_.processes.unreadable == 0) return;
    out_ += '\n' + paint_.bold("Processes");
    if (!view_.processes.uses.empty()) {
      out_ += " that use these packages, and see the edits only once they are restarted\n";
      for (const patch::ProcessUse& p : view_.processes.uses)
        out_ += fmt::format("  {} {}  {}\n", p.pid, text::escape(p.command), text::escape(p.path));
    } else {
      out_ += "\n";
    }
    if (view_.processes.unreadable > 0) {
      out_ += fmt::format("  {} of other users could not be looked into\n",
                          text::count(view_.processes.unreadable, "process", "processes"));
    }
  }

  void unproved() {
    out_ += '\n' + paint_.bold(view_.proof && view_.proof->proved ? "What is proved, and what is not" : "Not proven yet") + '\n';
    for (const std::string& s : view_.unproved) out_ += wrapped(s, 2, width_);
  }

  void next() {
    out_ += '\n';
    if (!view_.refusals.empty()) {
      out_ += "Nothing was written, and apply would refuse this as well.\n";
    } else if (view_.empty()) {
      bool any = std::ranges::any_of(view_.resolution.sets, [](const patch::SetOutcome& s) {
        return s.state != state::not_installed;
      });
      out_ += any || !view_.resolution.lifts.empty()
                  ? "Nothing to do.\n"
                  : "Nothing to do: no patch set is for what is installed here.\n";
    } else {
      out_ += "Next: ungate apply" + style_.repeat + '\n';
    }
  }

  const PlanView& view_;
  const Style& style_;
  Paint paint_;
  std::size_t width_;
  std::string out_;
};

}  // namespace

std::string plan_human(const std::vector<PlanView>& views, const Style& style) {
  std::string out;
  for (const PlanView& view : views) out += (out.empty() ? "" : "\n") + Human(view, style).text();
  return out;
}

}  // namespace ungate::report
