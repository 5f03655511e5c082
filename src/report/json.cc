#include "report/finding_json.h"

namespace ungate::report {
namespace {

void write_texts(JsonWriter& w, std::string_view name, const std::vector<std::string>& texts) {
  w.key(name).begin_array();
  for (const std::string& t : texts) w.string(t);
  w.end_array();
}

void write_evidence(JsonWriter& w, std::string_view name, const std::vector<gate::Evidence>& evidence) {
  w.key(name).begin_array();
  for (const gate::Evidence& e : evidence) w.begin_object().field("what", e.what).string_or_null("where", e.where).end_object();
  w.end_array();
}

void write_lift(JsonWriter& w, const std::optional<gate::Lift>& lift) {
  if (!lift || lift->edits.empty()) {
    w.key("lift").null();
    if (lift && !lift->refused.empty()) w.field("no_lift_because", lift->refused);
    return;
  }
  w.key("lift").begin_object().key("edits").begin_array();
  for (const gate::LiftEdit& e : lift->edits) {
    w.begin_object().field("path", e.path).key("range").begin_array();
    w.number(e.edit.range.begin).number(e.edit.range.end).end_array();
    w.field("line", e.at.line).field("before", e.edit.before).field("after", e.edit.after).end_object();
  }
  w.end_array();
  write_texts(w, "needs", lift->needs);
  w.key("also_admits").begin_array();
  for (unsigned d : lift->also_admits) w.string(arch::Device(d).name());
  w.end_array().end_object();
}

}  // namespace

bool is_shown(const gate::Standing& s, const Style& style) { return style.all || s.admits == gate::Admits::no; }

void write_finding(JsonWriter& w, const audit::Report& report, const gate::Gate& g, const gate::Standing& s) {
  std::string admitted = arch::to_text(g.admitted);
  w.begin_object();
  w.field("id", g.id);
  w.field("site", report.environment->sites[g.site].path).field("path", g.path);
  w.field("line", g.begin.line).field("column", g.begin.column).field("end_line", g.end.line);
  w.string_or_null("package", g.package).string_or_null("version", g.version);
  w.field("form", g.form).field("expression", g.expression).string_or_null("in", g.enclosing);
  w.field("admitted", admitted);
  if (!g.conditions.empty()) write_texts(w, "admitted_if", g.conditions);
  w.field("target", s.device.name()).field("admits", gate::name_of(s.admits));
  w.field("effect", gate::name_of(s.effect)).string_or_null("verdict", gate::name_of(s.verdict));
  if (s.verdict == gate::Verdict::policy) w.field("alone", s.alone);
  write_texts(w, "behind", s.behind);
  w.string_or_null("guards", g.guards).string_or_null("group", g.group).string_or_null("chain", g.chain);
  write_evidence(w, "evidence", s.evidence);
  write_evidence(w, "path_to", g.path_to);
  write_lift(w, s.lift);
  write_texts(w, "unknown_because", s.unknown_because);
  w.end_object();
}

std::string jsonl(const audit::Report& report, const Style& style) {
  std::string out;
  for (const gate::Gate& g : report.gates) {
    for (const gate::Standing& s : g.standings) {
      if (!is_shown(s, style)) continue;
      JsonWriter w;
      write_finding(w, report, g, s);
      out += w.take() + '\n';
    }
  }
  return out;
}

std::string json(const audit::Report& report, const Style& style) {
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-audit").field("version", 1);
  w.key("targets").begin_array();
  for (arch::Device d : report.targets) w.string(d.name());
  w.end_array();
  w.key("sites").begin_array();
  for (const package::Site& site : report.environment->sites) w.string(site.path);
  w.end_array();
  w.key("packages").begin_array();
  for (const package::Distribution& d : report.environment->distributions) {
    w.begin_object().field("name", d.name).field("version", d.version_text).end_object();
  }
  w.end_array();
  w.key("world").begin_array();
  for (const auto& e : report.world.entries()) {
    w.begin_object().field("name", value::to_text(e.free)).field("value", value::to_text(e.value)).field("origin", e.origin).end_object();
  }
  w.end_array();
  w.key("findings").begin_array();
  for (const gate::Gate& g : report.gates) {
    for (const gate::Standing& s : g.standings) {
      if (is_shown(s, style)) write_finding(w, report, g, s);
    }
  }
  w.end_array();
  w.key("unread").begin_array();
  for (const audit::Unread& u : report.unread) w.begin_object().field("path", u.path).field("why", u.why).end_object();
  w.end_array();
  write_texts(w, "not_checked", report.not_checked);
  w.end_object();
  return w.take() + '\n';
}

}  // namespace ungate::report
