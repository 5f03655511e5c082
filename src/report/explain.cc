#include "report/explain.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "gate/forms.h"
#include "report/listing.h"

namespace ungate::report {
namespace {

using gate::Admits;
using gate::Standing;
using gate::Verdict;

constexpr std::size_t kLabel = 14;

class Explainer {
 public:
  Explainer(const Explanation& e, const Style& style)
      : e_(e),
        style_(style),
        paint_(style.colour),
        listing_(*e.report, style),
        width_(static_cast<std::size_t>(style.width)) {}

  std::string text() {
    if (e_.line) line(*e_.line);
    for (const GateDetail& detail : e_.gates) gate(detail);
    return std::move(out_);
  }

 private:
  // --- A gate
  // ---------------------------------------------------------------------------------------

  void gate(const GateDetail& detail) {
    const gate::Gate& g = *detail.gate;
    if (!out_.empty()) out_ += '\n';
    out_ += paint_.bold(fmt::format("{}:{}", listing_.path_of(g), g.begin.line)) + "  " + g.form +
            "  " + g.id + '\n';
    out_ += text::escape(owner_of(g));
    if (!g.enclosing.empty()) out_ += ", in " + text::escape(g.enclosing);
    out_ += "\n\n";
    if (!e_.line || e_.line->line != g.begin.line) context(detail.context);
    entry("admits", arch::to_text(g.admitted));
    list("if", g.conditions);
    if (const gate::FormInfo* form = gate::find_form(g.form))
      entry("form", std::string(form->what));
    entry("guards", g.guards);
    for (const auto& same : alike(g)) standing(g, *same.front(), same);
    if (!detail.confirmed.empty()) entry("libclang", detail.confirmed);
    evidence("uses", g.path_to);
    lift(g, detail);
  }

  // Targets that stand the same way are told together.
  static std::vector<std::vector<const Standing*>> alike(const gate::Gate& g) {
    std::vector<std::vector<const Standing*>> out;
    for (const Standing& s : g.standings) {
      auto same = std::ranges::find_if(out, [&](const auto& group) {
        const Standing& o = *group.front();
        return o.admits == s.admits && o.effect == s.effect && o.verdict == s.verdict &&
               o.alone == s.alone && o.behind == s.behind;
      });
      if (same == out.end()) same = out.emplace(same);
      same->push_back(&s);
    }
    return out;
  }

  void standing(const gate::Gate& g, const Standing& s, const std::vector<const Standing*>& same) {
    arch::DeviceSet devices;
    for (const Standing* o : same) devices |= arch::DeviceSet::of(o->device.index());
    std::string effect(gate::name_of(s.effect));
    out_ += '\n' + paint_.bold("For " + arch::to_text(devices)) + ": ";
    if (s.admits == Admits::yes && s.verdict != Verdict::over_admission) {
      out_ += paint_.green("admitted") + '\n';
      return;
    }
    out_ += (s.admits == Admits::no        ? "shut out"
             : s.admits == Admits::unknown ? "something else decides"
                                           : "admitted") +
            std::string("\n");
    if (s.effect != gate::Effect::none)
      entry("effect", effect + ": " + std::string(sentence_of(s.effect)));
    if (s.verdict != Verdict::none) {
      std::string verdict =
          std::string(gate::name_of(s.verdict)) + ": " + std::string(sentence_of(s.verdict));
      if (s.verdict == Verdict::policy && !s.alone)
        verdict += "; but it is not to be lifted without what it needs";
      entry("verdict", verdict);
    }
    list("because", s.unknown_because);
    if (!g.group.empty()) entry("group", g.group + ": " + members(g.group));
    if (!g.follows.empty()) entry("follows", g.follows + ": it is opened when that group is; nothing is lifted here");
    places("behind", s.behind, "at which the device stops earlier");
    evidence("evidence", s.evidence);
    if (!s.lift) return;
    places("needs", s.lift->needs, "that must be lifted with it");
    if (!s.lift->also_admits.empty()) entry("comes along", arch::to_text(s.lift->also_admits));
    if (s.lift->edits.empty() && !s.lift->refused.empty()) entry("no edit", s.lift->refused);
  }

  std::string members(const std::string& group) const {
    std::size_t n =
        static_cast<std::size_t>(std::ranges::count(e_.report->gates, group, &gate::Gate::group));
    return text::count(n, "gate") + " that belong together";
  }

  void lift(const gate::Gate& g, const GateDetail& detail) {
    if (detail.diff.empty()) return;
    out_ += '\n' + paint_.bold("Lift") + " of this gate alone\n";
    diff(detail.diff);
    bool needs = std::ranges::any_of(
        g.standings, [](const Standing& s) { return s.lift && !s.lift->needs.empty(); });
    if (needs)
      out_ +=
          wrapped("What it needs must be lifted with it; `ungate plan` takes all of them or none.",
                  2, width_);
  }

  void diff(std::string_view text) {
    for (std::string_view line : text::lines(text)) {
      std::string shown = escape_line(line);
      bool head = line.starts_with("---") || line.starts_with("+++") || line.starts_with("@@");
      out_ += "  " +
              (head                    ? paint_.dim(shown)
               : line.starts_with('+') ? paint_.green(shown)
               : line.starts_with('-') ? paint_.red(shown)
                                       : shown) +
              '\n';
    }
  }

  // --- A line
  // ---------------------------------------------------------------------------------------

  void line(const audit::LineFacts& f) {
    std::string path = f.path;
    if (style_.absolute) path = e_.report->environment->sites[f.site].path + '/' + path;
    out_ += paint_.bold(fmt::format("{}:{}", text::escape(path), f.line)) + '\n';
    if (!f.function.empty())
      out_ += fmt::format("in {}, line {}\n", text::escape(f.function), f.function_line);
    out_ += '\n';
    context(e_.context);
    if (f.code_line != f.line)
      out_ += fmt::format("There is no code on this line; this is about line {}.\n\n", f.code_line);
    answer(f);
    if (f.gates.size() == 1) out_ += "\nA gate stands on this line:\n";
    if (f.gates.size() > 1) out_ += fmt::format("\n{} gates stand on this line:\n", f.gates.size());
  }

  void answer(const audit::LineFacts& f) {
    bool cuda = f.language == audit::LineFacts::Language::cuda;
    bool depends = std::ranges::any_of(f.conditions, &audit::LineCondition::depends);
    if (f.everywhere && !depends) {
      std::string_view what = cuda ? "compiled for every device"
                              : f.language == audit::LineFacts::Language::python
                                  ? "reached on every device"
                                  : "read alike on every device";
      out_ += fmt::format("No gate decides {} this line: it is {}.\n",
                          f.gates.empty() ? "about" : "whether a device gets to", what);
    } else {
      entry(cuda ? "compiled for" : "reached on", f.reached == "none" ? "no device" : f.reached);
      if (!cuda && !f.function.empty()) entry("", "of the devices that enter the function");
      list("if", f.decides);
      if (!cuda && !f.everywhere && !depends)
        entry("because", "a call before it raises on the others");
    }
    if (cuda && f.host != "yes") entry("host pass", f.host == "no" ? "not compiled" : "not known");
    conditions(f, audit::LineCondition::How::encloses, "It stands in");
    conditions(f, audit::LineCondition::How::leaves, "Before it, a device may leave at");
  }

  void conditions(const audit::LineFacts& f, audit::LineCondition::How how,
                  std::string_view title) {
    bool first = true;
    for (const audit::LineCondition& c : f.conditions) {
      if (c.how != how) continue;
      if (std::exchange(first, false)) out_ += '\n' + paint_.bold(title) + '\n';
      std::string gates = c.gates.empty() ? "" : "  " + paint_.dim(text::join(c.gates, " "));
      out_ += fmt::format("{:>8}  {}{}{}\n", c.line, c.holds ? "" : "(else) ",
                          text::escape(text::one_line(c.text, width_ - 24)), gates);
      std::string passes =
          c.depends ? (c.passes.empty() ? "differs between devices" : "lets through " + c.passes)
                    : "does not depend on the device";
      if (!c.decides.empty()) passes += "; decided by " + text::join(c.decides, ", ");
      out_ += wrapped(text::escape(passes), 10, width_);
    }
  }

  // --- Pieces
  // ---------------------------------------------------------------------------------------

  static std::string escape_line(std::string_view line) {
    return text::escape(text::replace_all(std::string(line), "\t", "    "));
  }

  void context(const std::vector<SourceLine>& lines) {
    for (const SourceLine& l : lines) {
      out_ += fmt::format("{} {:>6} | {}\n", l.marked ? '>' : ' ', l.number,
                          cut(escape_line(l.text), width_ - 11));
    }
    if (!lines.empty()) out_ += '\n';
  }

  void entry(std::string_view label, const std::string& what) {
    if (what.empty()) return;
    std::string body = wrapped(text::escape(what), kLabel, width_);
    out_ += padded(std::string(label), kLabel) + body.substr(kLabel);
  }

  void list(std::string_view label, const std::vector<std::string>& items) {
    for (const std::string& item : items) entry(&item == items.data() ? label : "", item);
  }

  void evidence(std::string_view label, const std::vector<gate::Evidence>& items) {
    bool first = true;
    for (const gate::Evidence& i : items) {
      entry(std::exchange(first, false) ? label : "",
            i.where.empty() ? i.what : i.what + " (" + i.where + ')');
    }
  }

  // Gates by id and place, behind a sentence that says what they are to this one.
  void places(std::string_view label, const std::vector<std::string>& ids, std::string_view what) {
    constexpr std::size_t kMost = 6;
    if (ids.empty()) return;
    entry(label, text::count(ids.size(), "gate") + ' ' + std::string(what) + ':');
    for (std::size_t i = 0; i < ids.size() && i < kMost; ++i)
      entry("", ids[i] + "  " + listing_.place_of(ids[i]));
    if (ids.size() > kMost) entry("", fmt::format("and {} more", ids.size() - kMost));
  }

  const Explanation& e_;
  const Style& style_;
  Paint paint_;
  Listing listing_;
  std::size_t width_;
  std::string out_;
};

}  // namespace

std::string explanation(const Explanation& e, const Style& style) {
  return Explainer(e, style).text();
}

}  // namespace ungate::report
