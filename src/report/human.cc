// The report for people. What they want first: how many gates, and which of them nothing but policy
// keeps shut. Then those one by one, what must be lifted together as a group; the rest by file.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "report/listing.h"
#include "report/report.h"

namespace ungate::report {
namespace {

using gate::Admits;
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
    return std::move(out_);
  }

 private:
  void target(std::size_t t) {
    Entries shut, open, admitted;
    for (const gate::Gate& g : report_.gates) {
      const gate::Standing& s = g.standings[t];
      (s.admits == Admits::no        ? shut
       : s.admits == Admits::unknown ? open
                                     : admitted)
          .push_back({&g, &s});
    }
    title(report_.targets[t]);
    if (report_.gates.empty()) {
      out_ += "\nNo gate was found: nothing here differs between devices.\n";
      return;
    }
    counts(report_.targets[t], shut, open, admitted);
    policy(pick(shut, Verdict::policy));
    detailed("Over-admission", Verdict::over_admission, pick(admitted, Verdict::over_admission));
    folded("Capability", Verdict::capability, pick(shut, Verdict::capability));
    folded("Unknown", Verdict::unknown, pick(shut, Verdict::unknown));
    undecided(open);
    if (style_.all) {
      heading("Admitted", fmt::format("{} that let it in", text::count(admitted.size(), "gate")));
      out_ += listing_.by_file(admitted);
    }
    for (const Entry& e : shut) effects_.insert(e.standing->effect);
    next(report_.targets[t], shut);
  }

  static Entries pick(const Entries& entries, Verdict verdict) {
    Entries out;
    std::ranges::copy_if(entries, std::back_inserter(out),
                         [&](const Entry& e) { return e.standing->verdict == verdict; });
    return out;
  }

  void title(arch::Device target) {
    if (!out_.empty()) out_ += '\n';
    const package::Environment& env = *report_.environment;
    std::string where =
        env.prefix.empty() && !env.sites.empty() ? env.sites.front().path : env.prefix;
    std::string python = env.python_version.empty() ? "" : " (Python " + env.python_version + ")";
    std::string products = target.facts().products;
    out_ += paint_.bold("ungate audit for " + target.name()) +
            (products.empty() ? "" : " (" + products + ")") + '\n';
    out_ += "  in " + text::escape(where) + python + '\n';
  }

  // One row a package, one column a verdict.
  void counts(arch::Device target, const Entries& shut, const Entries& open,
              const Entries& admitted) {
    out_ += fmt::format("\n{} of {} gates shut {} out; {} may, for something else decides.\n\n",
                        grouped(shut.size()), grouped(report_.gates.size()), target.name(),
                        grouped(open.size()));
    constexpr std::array kColumns{"policy", "capability", "unknown", "may", "admit"};
    std::map<std::string, std::array<std::size_t, 5>> rows;
    for (const Entry& e : shut) {
      Verdict v = e.standing->verdict;
      ++rows[owner_of(*e.gate)][v == Verdict::policy ? 0 : v == Verdict::capability ? 1 : 2];
    }
    for (const Entry& e : open) ++rows[owner_of(*e.gate)][3];
    for (const Entry& e : admitted) ++rows[owner_of(*e.gate)][4];
    std::size_t name = 0;
    for (const auto& [package, n] : rows) name = std::max(name, columns(package));
    out_ += "  " + std::string(name, ' ');
    for (const char* column : kColumns) out_ += fmt::format("{:>12}", column);
    out_ += '\n';
    for (const auto& [package, n] : rows) {
      out_ += "  " + padded(text::escape(package), name);
      for (std::size_t count : n) out_ += fmt::format("{:>12}", count == 0 ? "-" : grouped(count));
      out_ += '\n';
    }
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
      out_ += fmt::format("  Group {}: {} that must be lifted together\n", group,
                          text::count(members.size(), "gate"));
      out_ += listing_.in_detail(members) + '\n';
    }
    if (!groups.empty() && !single.empty()) out_ += "  Each on its own\n";
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
    out_ += style_.full ? listing_.in_detail(entries) : listing_.by_file(entries);
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

  void next(arch::Device target, const Entries& shut) {
    if (shut.empty()) return;
    auto first = std::ranges::find(shut, Verdict::policy,
                                   [](const Entry& e) { return e.standing->verdict; });
    const Entry& example = first == shut.end() ? shut.front() : *first;
    std::string flags = " --target " + target.name() + style_.repeat;
    out_ += '\n' + paint_.bold("Next") + '\n';
    out_ += fmt::format("  ungate explain {}{}\n", example.gate->id, flags);
    if (first != shut.end()) out_ += fmt::format("  ungate plan{}\n", flags);
    if (!style_.full)
      out_ +=
          "  every gate by itself: --full; all devices at once: --matrix; for programs: --format "
          "json\n";
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
    out_ += wrapped("- code objects in shared libraries, and kernels behind them", 2, width_);
    for (std::size_t i = 0; i < report_.unread.size() && i < kMostUnread; ++i) {
      const audit::Unread& u = report_.unread[i];
      out_ += wrapped("- " + text::escape(u.path + ": " + u.why), 2, width_);
    }
    if (report_.unread.size() > kMostUnread) {
      out_ += fmt::format("  - {} more files that could not be read\n",
                          grouped(report_.unread.size() - kMostUnread));
    }
    out_ += fmt::format(
        "  {} of {} files are Python, {} C++ or CUDA; {} and {} of them can depend on the "
        "device.\n",
        grouped(report_.counts.python), grouped(report_.counts.seen), grouped(report_.counts.cuda),
        grouped(report_.counts.evaluated), grouped(report_.counts.guarded));
  }

  const audit::Report& report_;
  const Style& style_;
  Paint paint_;
  Listing listing_;
  std::size_t width_;
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
