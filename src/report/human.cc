// The report for people. What they want first, on one screen: how many gates, which of them nothing
// but policy keeps shut, and what to do next. Behind that what cannot be lifted, by package, with
// the files where a program stops.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "report/binaries.h"
#include "report/listing.h"
#include "report/remedy.h"
#include "report/report.h"
#include "report/summary.h"

namespace ungate::report {
namespace {

using gate::Verdict;

constexpr std::size_t kMostUnread = 10, kMostDeciders = 8;

class Human {
 public:
  Human(const audit::Report& report, const Style& style)
      : report_(report),
        style_(style),
        paint_(style.colour),
        listing_(report, style),
        width_(static_cast<std::size_t>(style.width)) {}

  std::string text() {
    for (std::size_t t = 0; t < report_.targets.size(); ++t) target(t);
    legend();
    world();
    not_checked();
    more();
    return std::move(out_);
  }

 private:
  void target(std::size_t t) {
    Sorted sorted(report_, t);
    target_ = report_.targets[t];
    title();
    if (report_.gates.empty()) {
      out_ += "\nNo gate was found: nothing here differs between devices.\n";
      return;
    }
    out_ += '\n' + summary(report_, target_, sorted, width_);
    policy(pick(sorted.shut, Verdict::policy));
    next(sorted.shut);
    Entries files;
    for (Entries* entries : {&sorted.shut, &sorted.undecided}) {
      std::ranges::copy_if(*entries, std::back_inserter(files), is_binary);
      for (const Entry& e : *entries) effects_.insert(is_binary(e) ? e.standing->effect : gate::Effect::none);
      std::erase_if(*entries, is_binary);
    }
    if (!files.empty()) {
      heading("Binaries", "their code objects do not serve " + target_.name() + ", or not all of them");
      out_ += binaries(files, listing_, paint_, width_);
    }
    detailed("Over-admission", Verdict::over_admission,
             pick(sorted.admitted, Verdict::over_admission));
    folded("Capability", Verdict::capability, pick(sorted.shut, Verdict::capability));
    folded("Unknown", Verdict::unknown, pick(sorted.shut, Verdict::unknown));
    undecided(sorted.undecided);
    if (style_.all) {
      heading("Let in", text::count(sorted.admitted.size(), "gate"));
      out_ += listing_.by_package(sorted.admitted);
    }
    for (const Entry& e : sorted.shut) effects_.insert(e.standing->effect);
  }

  void title() {
    if (!out_.empty()) out_ += '\n';
    const package::Environment& env = *report_.environment;
    std::string python = env.python_version.empty() ? "" : " (Python " + env.python_version + ")";
    std::string products = target_.facts().products;
    out_ += paint_.bold("ungate audit for " + target_.name()) +
            (products.empty() ? "" : " (" + products + ")") + '\n';
    out_ += "  in " + text::escape(env.title()) + python + '\n';
  }

  void heading(std::string_view title, std::string_view what) {
    out_ += '\n' + paint_.bold(title) + ": " + std::string(what) + "\n\n";
  }

  void policy(const Entries& entries) {
    if (entries.empty()) return;
    heading("Policy", sentence_of(Verdict::policy));
    std::vector<std::string> groups;
    Entries single;
    for (const Entry& e : entries) {
      const std::string& group = e.gate->group;
      if (group.empty())
        single.push_back(e);
      else if (std::ranges::find(groups, group) == groups.end())
        groups.push_back(group);
    }
    for (const std::string& group : groups) {
      Entries members;
      std::ranges::copy_if(entries, std::back_inserter(members),
                           [&](const Entry& e) { return e.gate->group == group; });
      out_ += wrapped(fmt::format("Group {}{}: {} that must be lifted together", group,
                                  text::escape(subject_of(members)),
                                  text::count(members.size(), "gate")),
                      2, width_);
      if (std::string ids = sets(members); !ids.empty())
        out_ += wrapped("Patch set " + text::escape(ids) + " is for this group.", 2, width_);
      out_ += listing_.in_detail(members) + '\n';
    }
    if (single.empty()) {
      out_.pop_back();  // the blank line behind the last group
      return;
    }
    if (!groups.empty()) out_ += "  Each on its own\n";
    out_ += listing_.in_detail(single);
  }

  void detailed(std::string_view title, Verdict verdict, const Entries& entries) {
    if (entries.empty()) return;
    heading(title, sentence_of(verdict));
    out_ += listing_.in_detail(entries);
  }

  void folded(std::string_view title, Verdict verdict, const Entries& entries) {
    if (entries.empty()) return;
    heading(title, sentence_of(verdict));
    reasons(entries);
    out_ += style_.full ? listing_.in_detail(entries) : listing_.by_package(entries);
  }

  // The commonest reasons, each once with how many gates have it.
  void reasons(const Entries& entries) {
    std::map<std::string, std::size_t> why;
    for (const Entry& e : entries) {
      for (const std::string& w : e.standing->unknown_because) ++why[w];
    }
    list_common(why, "of them: ");
  }

  void list_common(const std::map<std::string, std::size_t>& what, std::string_view before) {
    std::vector<std::pair<std::size_t, std::string>> sorted;
    for (const auto& [text, n] : what) sorted.emplace_back(n, text);
    std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::size_t, std::string>::first);
    std::size_t rest = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i >= kMostDeciders) {
        ++rest;
        continue;
      }
      std::string line = wrapped(text::escape(std::string(before) + sorted[i].second), 10, width_);
      out_ += fmt::format("{:>8}{}", grouped(sorted[i].first), line.substr(8));
    }
    if (rest != 0) out_ += fmt::format("          and {} more\n", rest);
    if (!sorted.empty()) out_ += '\n';
  }

  // Gates on which something else than the device decides: by what that is, not one by one.
  void undecided(const Entries& open) {
    if (open.empty()) return;
    heading("Undecided", "something else than the device decides");
    if (style_.full) {
      out_ += listing_.in_detail(open);
      return;
    }
    std::map<std::string, std::size_t> deciders;
    for (const Entry& e : open) {
      for (const std::string& c : e.gate->conditions) ++deciders[c];
    }
    list_common(deciders, "");
    if (out_.ends_with("\n\n")) out_.pop_back();
  }

  // " (module trtllm_comm)": what a group is about, if one of its gates says so.
  static std::string subject_of(const Entries& members) {
    constexpr std::string_view kBuilds = "builds ";
    for (const Entry& e : members) {
      for (std::string_view clause : text::split(e.gate->guards, ';')) {
        clause = text::trim(clause);
        if (clause.starts_with(kBuilds)) return fmt::format(" ({})", clause.substr(kBuilds.size()));
      }
    }
    return {};
  }

  std::string sets(const Entries& entries) const {
    return text::join(sets_for(style_.sets, target_, entries), ", ");
  }

  // One that a program meets as an error, rather than one that helps others; first of a group, where lifting it
  // takes more than one edit.
  static const Entry& most_telling(const Entries& entries) {
    auto leads = std::ranges::find_if(entries, [](const Entry& e) {
      return e.standing->effect == gate::Effect::raises && !e.gate->group.empty();
    });
    if (leads != entries.end()) return *leads;
    auto raises = std::ranges::find(entries, gate::Effect::raises,
                                    [](const Entry& e) { return e.standing->effect; });
    if (raises != entries.end()) return *raises;
    auto any = std::ranges::find_if(
        entries, [](const Entry& e) { return e.standing->effect != gate::Effect::definition; });
    return any == entries.end() ? entries.front() : *any;
  }

  void next(const Entries& shut) {
    if (shut.empty()) return;
    Entries policy = pick(shut, Verdict::policy);
    std::string flags = " --target " + target_.name() + style_.repeat;
    auto step = [&](const std::string& command, const std::string& what) {
      out_ += "  ungate " + command + flags + '\n' + wrapped(what, 6, width_);
    };
    out_ += '\n' + paint_.bold("Next") + '\n';
    step("explain " + most_telling(policy.empty() ? shut : policy).gate->id,
         policy.empty() ? "what this gate guards, and why it is judged so"
                        : "what this gate guards, why it is judged so, and the edit that lifts it");
    std::string ids = sets(policy);
    if (!ids.empty()) {
      step("plan", "what lifting comes to here, with patch set " + text::escape(ids));
    } else if (std::string lifts = lifts_of(policy); !lifts.empty()) {
      step("plan" + lifts, "what lifting comes to");
    }
  }

  // " --lift ID …" for a gate and what must be lifted with it, if that can be typed.
  static std::string lifts_of(const Entries& policy) {
    constexpr std::size_t kMost = 4;
    if (policy.empty()) return {};
    const Entry& first = most_telling(policy);
    std::string out;
    std::size_t n = 0;
    for (const Entry& e : policy) {
      bool wanted = e.gate->id == first.gate->id ||
                    (!e.gate->group.empty() && e.gate->group == first.gate->group);
      if (!wanted || !e.standing->lift || e.standing->lift->edits.empty()) continue;
      out += " --lift " + e.gate->id;
      ++n;
    }
    return n <= kMost ? out : std::string();
  }

  void legend() {
    effects_.erase(gate::Effect::none);
    if (effects_.empty()) return;
    out_ += '\n' + paint_.bold("Effects") + '\n';
    for (gate::Effect e : effects_) {
      out_ += "  " + padded(std::string(gate::name_of(e)), 18) + std::string(sentence_of(e)) + '\n';
    }
  }

  void world() {
    std::string assumed;
    for (const auto& e : report_.world.entries()) {
      std::string name = e.free.kind == value::Free::Kind::name ? std::string(e.free.name.text())
                                                                : value::to_text(e.free);
      assumed += (assumed.empty() ? "" : ", ") + name + " = " + value::to_text(e.value);
      if (e.origin != "default") assumed += " (" + e.origin + ')';
    }
    if (assumed.empty()) return;
    out_ += '\n' + paint_.bold("Assumed") + '\n' + wrapped(text::escape(assumed), 2, width_);
  }

  void not_checked() {
    out_ += '\n' + paint_.bold("Not checked") + '\n';
    for (const std::string& sentence : report_.not_checked)
      out_ += wrapped("- " + text::escape(sentence), 2, width_);
    out_ += wrapped("- kernels in code objects: `ungate objects --kernels` names them", 2, width_);
    for (std::size_t i = 0; i < report_.unread.size() && i < kMostUnread; ++i) {
      const audit::Unread& u = report_.unread[i];
      out_ += wrapped("- " + text::escape(u.path + ": " + u.why), 2, width_);
    }
    if (report_.unread.size() > kMostUnread) {
      out_ += fmt::format("  - {} more files that could not be read\n",
                          grouped(report_.unread.size() - kMostUnread));
    }
    out_ += '\n' + paint_.bold("Read") + '\n';
    out_ += fmt::format(
        "  {} of {} files are Python, {} C++ or CUDA; {} and {} of them can depend on the "
        "device.\n",
        grouped(report_.counts.python), grouped(report_.counts.seen), grouped(report_.counts.cuda),
        grouped(report_.counts.evaluated), grouped(report_.counts.guarded));
  }

  void more() {
    if (style_.full || report_.gates.empty()) return;
    out_ += '\n' + paint_.bold("More") + '\n';
    out_ += wrapped("--full: every gate by itself; --matrix: all devices side by side; "
                    "--format json: for programs", 2, width_);
  }

  const audit::Report& report_;
  const Style& style_;
  Paint paint_;
  Listing listing_;
  std::size_t width_;
  arch::Device target_{0u};
  std::set<gate::Effect> effects_;
  std::string out_;
};

}  // namespace

std::string human(const Reports& reports, const Style& style) {
  std::string out;
  for (const audit::Report& report : reports) {
    if (!out.empty()) out += '\n';
    out += Human(report, style).text();
  }
  return out;
}

}  // namespace ungate::report
