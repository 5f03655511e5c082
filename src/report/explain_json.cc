#include "report/explain.h"
#include "report/finding_json.h"

namespace ungate::report {
namespace {

void write_context(JsonWriter& w, const std::vector<SourceLine>& lines) {
  w.key("context").begin_array();
  for (const SourceLine& l : lines) {
    w.begin_object()
        .field("line", l.number)
        .field("text", l.text)
        .field("marked", l.marked)
        .end_object();
  }
  w.end_array();
}

void write_line(JsonWriter& w, const Explanation& e) {
  if (!e.line) {
    w.null();
    return;
  }
  const audit::LineFacts& f = *e.line;
  constexpr std::string_view kLanguages[] = {"python", "cuda", "other"};
  w.begin_object().field("site", e.report->environment->sites[f.site].path).field("path", f.path);
  w.field("line", f.line).field("code_line", f.code_line);
  w.field("language", kLanguages[static_cast<std::size_t>(f.language)])
      .string_or_null("in", f.function);
  w.field("reached", f.reached)
      .field("everywhere", f.everywhere)
      .string_or_null("host_pass", f.host);
  w.texts("reached_if", f.decides);
  w.key("conditions").begin_array();
  for (const audit::LineCondition& c : f.conditions) {
    w.begin_object().field("how",
                           c.how == audit::LineCondition::How::encloses ? "encloses" : "leaves");
    w.field("line", c.line)
        .field("text", c.text)
        .field("holds", c.holds)
        .field("depends", c.depends);
    w.string_or_null("passes", c.passes);
    w.texts("decided_by", c.decides);
    w.texts("gates", c.gates);
    w.end_object();
  }
  w.end_array();
  write_context(w, e.context);
  w.end_object();
}

}  // namespace

std::string explanation_json(const Explanation& e, const Style& style) {
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-explain").field("version", 1).field("tool", style.tool);
  w.key("gates").begin_array();
  for (const GateDetail& detail : e.gates) {
    w.begin_object().key("findings").begin_array();
    for (const gate::Standing& s : detail.gate->standings)
      write_finding(w, *e.report, *detail.gate, s);
    w.end_array();
    write_context(w, detail.context);
    w.string_or_null("diff", detail.diff)
        .string_or_null("confirmed", detail.confirmed)
        .end_object();
  }
  w.end_array().key("line");
  write_line(w, e);
  w.key("errors").begin_array().end_array().end_object();
  return w.take() + '\n';
}

}  // namespace ungate::report
