#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "report/finding_json.h"
#include "report/trace_view.h"
#include "report/words.h"

namespace ungate::report {
namespace {

const gate::Standing* standing_of(const gate::Gate& g, arch::Device device) {
  auto at = std::ranges::find(g.standings, device, &gate::Standing::device);
  return at == g.standings.end() ? nullptr : &*at;
}

std::string how(const trace::Found& f) {
  switch (f.way) {
    case trace::Way::frame: return "the traceback was at " + f.by;
    case trace::Way::name: return "the message names " + f.by;
    case trace::Way::list: return "it holds the list of the message";
    case trace::Way::message: return "it raises \"" + f.by + '"';
    case trace::Way::code: return "";
  }
  return "";
}

}  // namespace

std::string trace_human(const TraceView& view, const Style& style) {
  Paint paint(style.colour);
  auto width = static_cast<std::size_t>(style.width);
  std::string out = paint.bold("ungate trace for " + view.target.name()) + (view.named ? "" : " (named in the log)") + "  " + text::escape(view.from) + '\n';
  if (view.report != nullptr) out += "  in " + text::escape(view.report->environment->title()) + '\n';
  if (view.leads.empty()) out += "\nNothing in this log is known to come from a gate or from a compiler that is too old.\n";
  for (const TraceLead& l : view.leads) {
    const trace::Sign& sign = l.lead->sign;
    std::string times = sign.count > 1 ? fmt::format(" (and {} more)", sign.count - 1) : "";
    out += fmt::format("\nline {}{}\n", sign.at + 1, times);
    out += paint.red(wrapped(text::escape(text::one_line(sign.text, 400)), 2, width));
    if (sign.symptom != nullptr) out += wrapped(sign.symptom->says, 2, width);
    for (const trace::Found& f : l.lead->gates) {
      const gate::Gate& g = *f.gate;
      const gate::Standing* s = standing_of(g, view.target);
      out += fmt::format("  {}:{}  {}  [{}]\n", text::escape(g.path), g.begin.line, paint.bold(text::escape(text::one_line(g.expression, 100))), g.id);
      std::string says = fmt::format("admits {}", arch::to_text(g.admitted));
      if (s != nullptr) says += fmt::format("; {}: {}, {}", view.target.name(), sentence_of(s->effect), s->verdict == gate::Verdict::none ? "not judged" : std::string(gate::name_of(s->verdict)));
      out += wrapped(says, 4, width);
      if (std::string way = how(f); !way.empty()) out += paint.dim(wrapped(text::escape(way), 4, width));
    }
    for (const TraceFact& f : l.facts) out += f.bad ? paint.red(wrapped(f.text, 4, width)) : wrapped(f.text, 4, width);
    for (const std::string& n : l.next) out += wrapped("next: " + n, 2, width);
  }
  return out;
}

std::string trace_json(const TraceView& view, const Style& style) {
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-trace").field("version", 1).field("tool", style.tool);
  w.field("log", view.from).field("target", view.target.name()).field("target_from_log", !view.named);
  w.key("leads").begin_array();
  for (const TraceLead& l : view.leads) {
    const trace::Sign& sign = l.lead->sign;
    w.begin_object().field("line", sign.at + 1).field("text", sign.text).field("count", sign.count);
    w.string_or_null("symptom", sign.symptom == nullptr ? "" : sign.symptom->id);
    w.string_or_null("fault", sign.symptom == nullptr ? "gate" : trace::name_of(sign.symptom->fault));
    w.string_or_null("says", sign.symptom == nullptr ? "" : sign.symptom->says);
    w.key("findings").begin_array();
    for (const trace::Found& f : l.lead->gates) {
      const gate::Standing* s = standing_of(*f.gate, view.target);
      if (s == nullptr || view.report == nullptr) continue;
      w.begin_object().field("found_by", trace::name_of(f.way)).string_or_null("at", f.by).key("finding");
      write_finding(w, *view.report, *f.gate, *s);
      w.end_object();
    }
    w.end_array().key("facts").begin_array();
    for (const TraceFact& f : l.facts) w.begin_object().field("text", f.text).field("fault", f.bad).end_object();
    w.end_array();
    w.texts("next", l.next);
    w.end_object();
  }
  w.end_array().key("errors").begin_array().end_array().end_object();
  return w.take() + '\n';
}

}  // namespace ungate::report
