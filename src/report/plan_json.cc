// The plan as JSON: the plan file that `apply --plan` reads, with what is reported beside it.
#include "base/json.h"
#include "report/plan_view.h"

namespace ungate::report {
namespace {

void write_step(JsonWriter& w, const patch::StepOutcome& s) {
  w.begin_object()
      .field("id", s.record.id)
      .field("state", s.record.state)
      .field("detail", s.record.detail);
  w.string_or_null("where", s.where)
      .field("edits", s.edits.size())
      .field("gates", s.openings.size())
      .end_object();
}

void write_steps(JsonWriter& w, std::string_view name,
                 const std::vector<patch::StepOutcome>& steps) {
  w.key(name).begin_array();
  for (const patch::StepOutcome& s : steps) write_step(w, s);
  w.end_array();
}

void write_sets(JsonWriter& w, const PlanView& view) {
  w.key("sets").begin_array();
  for (const patch::SetOutcome& set : view.resolution.sets) {
    auto run = view.applied_by.find(set.set->id);
    w.begin_object()
        .field("id", set.set->id)
        .field("title", set.set->title)
        .field("source", set.set->source)
        .field("state", set.state);
    w.string_or_null("applied_by", run == view.applied_by.end() ? std::string() : run->second);
    w.key("members").begin_array();
    for (const patch::MemberOutcome& m : set.members) {
      const patch::PlanStep& first = m.steps.front().record;
      w.begin_object()
          .field("name", m.member->name)
          .field("package", first.package)
          .string_or_null("version", first.version);
      w.field("taken", m.chosen).string_or_null("why", m.why);
      write_steps(w, "steps", m.steps);
      w.end_object();
    }
    w.end_array().end_object();
  }
  w.end_array();
}

void write_check(JsonWriter& w, const patch::LiftCheck& check) {
  if (!check.checked) {
    w.key("check").null();
    return;
  }
  w.key("check")
      .begin_object()
      .field("ok", check.ok())
      .field("opened", check.opened)
      .field("unchanged", check.unchanged);
  w.texts("followed", check.followed);
  w.key("problems").begin_array();
  for (const patch::LiftProblem& p : check.problems)
    w.begin_object().field("what", p.what).field("where", p.where).end_object();
  w.end_array().end_object();
}

void write_around(JsonWriter& w, const PlanView& view) {
  w.key("stale").begin_array();
  for (const RootView& r : view.roots) {
    for (const std::string& path : r.stale.bytecode)
      w.begin_object()
          .field("kind", "bytecode")
          .field("path", path)
          .field("cleared", r.clears)
          .end_object();
    for (const patch::CacheFolder& c : r.stale.caches) {
      w.begin_object()
          .field("kind", "cache")
          .field("path", c.path())
          .field("module", c.module)
          .field("version", c.version);
      w.field("arch", c.arch)
          .field("bytes", c.bytes)
          .field("cleared", r.clears && c.problem.empty())
          .string_or_null("problem", c.problem)
          .end_object();
    }
  }
  w.end_array();
  w.key("prebuilt").begin_array();
  for (const patch::Prebuilt& p : view.prebuilt) {
    w.begin_object()
        .field("path", p.path)
        .field("package", p.package)
        .string_or_null("version", p.version)
        .string_or_null("module", p.module)
        .end_object();
  }
  w.end_array();
  w.key("copies").begin_array();
  for (const CopiesView& c : view.copies) {
    w.begin_object().field("name", c.name).field("edited", c.edited);
    w.texts("others", c.others);
    w.field("shadowed", c.shadowed).end_object();
  }
  w.end_array();
  w.key("processes").begin_array();
  for (const patch::ProcessUse& p : view.processes.uses) {
    w.begin_object()
        .field("pid", p.pid)
        .field("command", p.command)
        .field("path", p.path)
        .end_object();
  }
  w.end_array();
}

std::string report_of(const PlanView& view, const std::string& diff, const Style& style) {
  JsonWriter w;
  w.begin_object().field("tool", style.tool);
  w.key("targets").begin_array();
  for (arch::Device d : view.targets) w.string(d.name());
  w.end_array();
  w.key("world").begin_array();
  for (const auto& e : view.audit.world.entries()) {
    w.begin_object()
        .field("name", value::to_text(e.free))
        .field("value", value::to_text(e.value))
        .field("origin", e.origin)
        .end_object();
  }
  w.end_array();
  write_sets(w, view);
  write_steps(w, "lifts", view.resolution.lifts);
  write_check(w, view.check);
  w.key("refusals").begin_array();
  for (const Error& e : view.refusals) {
    w.begin_object()
        .field("code", name_of(e.code))
        .field("what", e.what)
        .string_or_null("where", e.where)
        .string_or_null("next", e.next)
        .end_object();
  }
  w.end_array();
  write_around(w, view);
  w.key("proof");
  if (view.proof) prove::write(w, *view.proof);
  else w.null();
  w.texts("unproved", view.unproved);
  w.texts("not_checked", view.audit.not_checked);
  w.field("diff", diff).end_object();
  return w.take();
}

// The plan file, whose last member becomes the report.
std::string document(const patch::Plan& plan, const std::string& diff, const PlanView& view,
                     const Style& style) {
  std::string text = patch::to_json(plan);
  text.resize(text.rfind('}'));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text + ",\n  \"report\": " + report_of(view, diff, style) + "\n}";
}

// Nothing to do, or nothing that may be done: a plan without files, so that nobody applies it.
patch::Plan empty_plan(const PlanView& view) {
  patch::Plan plan;
  plan.root = view.environment->sites.front().root;
  for (arch::Device d : view.targets) plan.target += (plan.target.empty() ? "" : ",") + d.name();
  for (const patch::SetOutcome& set : view.resolution.sets) {
    for (const patch::MemberOutcome& m : set.members) {
      for (const patch::StepOutcome& s : m.steps) {
        if (m.chosen) plan.steps.push_back(s.record);
      }
    }
  }
  for (const patch::StepOutcome& s : view.resolution.lifts) plan.steps.push_back(s.record);
  return plan;
}

}  // namespace

std::string plan_json(const std::vector<PlanView>& views, const Style& style) {
  std::vector<std::string> documents;
  for (const PlanView& view : views) {
    bool refused = !view.refusals.empty();
    if (view.empty()) documents.push_back(document(empty_plan(view), {}, view, style));
    for (const patch::Plan& plan : view.resolution.plans) {
      documents.push_back(
          document(refused ? empty_plan(view) : plan, patch::diff(plan).text, view, style));
    }
  }
  if (documents.size() == 1) return documents[0] + '\n';
  std::string out = "{\"schema\": \"ungate-plans\", \"version\": 1, \"plans\": [\n";
  for (std::size_t i = 0; i < documents.size(); ++i) out += (i == 0 ? "" : ",\n") + documents[i];
  return out + "\n]}\n";
}

}  // namespace ungate::report
