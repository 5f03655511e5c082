#include "report/finding_json.h"

namespace ungate::report {
namespace {

void write_evidence(JsonWriter& w, std::string_view name,
                    const std::vector<gate::Evidence>& evidence) {
  w.key(name).begin_array();
  for (const gate::Evidence& e : evidence)
    w.begin_object().field("what", e.what).string_or_null("where", e.where).end_object();
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
    w.field("line", e.at.line)
        .field("before", e.edit.before)
        .field("after", e.edit.after)
        .end_object();
  }
  w.end_array();
  w.texts("needs", lift->needs);
  w.key("also_admits").begin_array();
  for (unsigned d : lift->also_admits) w.string(arch::Device(d).name());
  w.end_array().end_object();
}

}  // namespace

bool is_shown(const gate::Standing& s, const Style& style) {
  return style.all || s.admits != gate::Admits::yes;
}

void write_finding(JsonWriter& w, const audit::Report& report, const gate::Gate& g,
                   const gate::Standing& s) {
  std::string admitted = arch::to_text(g.admitted);
  w.begin_object();
  w.field("id", g.id);
  w.field("site", report.environment->sites[g.site].path).field("path", g.path);
  w.field("line", g.begin.line).field("column", g.begin.column).field("end_line", g.end.line);
  w.string_or_null("package", g.package).string_or_null("version", g.version);
  w.field("form", g.form).field("expression", g.expression).string_or_null("in", g.enclosing);
  w.field("admitted", admitted);
  if (!g.conditions.empty()) w.texts("admitted_if", g.conditions);
  w.field("target", s.device.name()).field("admits", gate::name_of(s.admits));
  w.field("effect", gate::name_of(s.effect)).string_or_null("verdict", gate::name_of(s.verdict));
  if (s.verdict == gate::Verdict::policy) w.field("alone", s.alone);
  w.texts("behind", s.behind);
  w.string_or_null("guards", g.guards)
      .string_or_null("group", g.group)
      .string_or_null("follows", g.follows)
      .string_or_null("chain", g.chain);
  write_evidence(w, "evidence", s.evidence);
  write_evidence(w, "path_to", g.path_to);
  write_lift(w, s.lift);
  w.texts("unknown_because", s.unknown_because);
  w.end_object();
}

namespace {

template <class F>
void each_shown(const audit::Report& report, const Style& style, F&& f) {
  for (const gate::Gate& g : report.gates) {
    for (const gate::Standing& s : g.standings) {
      if (is_shown(s, style)) f(g, s);
    }
  }
}

// {"prefix", "python", "sites", "packages"}: where the findings' `site` and `package` come from.
void write_environment(JsonWriter& w, const package::Environment& environment) {
  w.begin_object().string_or_null("prefix", environment.prefix);
  w.string_or_null("python", environment.python_version).key("sites").begin_array();
  for (const package::Site& site : environment.sites) {
    w.begin_object()
        .field("path", site.path)
        .field("kind", package::name_of(site.kind))
        .end_object();
  }
  w.end_array().key("packages").begin_array();
  for (const package::Distribution& d : environment.distributions) {
    w.begin_object().field("name", d.name).field("version", d.version_text);
    w.field("site", environment.sites[d.site].path).end_object();
  }
  w.end_array().end_object();
}

void write_world(JsonWriter& w, const value::World& world) {
  for (const auto& e : world.entries()) {
    w.begin_object().field("name", value::to_text(e.free)).field("value", value::to_text(e.value));
    w.field("origin", e.origin).end_object();
  }
}

}  // namespace

std::string jsonl(const Reports& reports, const Style& style) {
  std::string out;
  for (const audit::Report& report : reports) {
    each_shown(report, style, [&](const gate::Gate& g, const gate::Standing& s) {
      JsonWriter w;
      write_finding(w, report, g, s);
      out += w.take() + '\n';
    });
  }
  return out;
}

std::string json(const Reports& reports, const Style& style) {
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-audit").field("version", 1).field("tool", style.tool);
  w.key("targets").begin_array();
  if (!reports.empty()) {
    for (arch::Device d : reports.front().targets) w.string(d.name());
  }
  w.end_array().key("environments").begin_array();
  for (const audit::Report& r : reports) write_environment(w, *r.environment);
  w.end_array().key("world").begin_array();
  if (!reports.empty()) write_world(w, reports.front().world);
  w.end_array().key("findings").begin_array();
  for (const audit::Report& r : reports) {
    each_shown(r, style,
               [&](const gate::Gate& g, const gate::Standing& s) { write_finding(w, r, g, s); });
  }
  w.end_array().key("unread").begin_array();
  for (const audit::Report& r : reports) {
    for (const audit::Unread& u : r.unread) {
      w.begin_object().field("path", u.path).field("why", u.why).end_object();
    }
  }
  w.end_array().key("not_checked").begin_array();
  for (const audit::Report& r : reports) {
    for (const std::string& sentence : r.not_checked) w.string(sentence);
  }
  w.end_array().key("errors").begin_array().end_array().end_object();
  return w.take() + '\n';
}

}  // namespace ungate::report
