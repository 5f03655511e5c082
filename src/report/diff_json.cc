#include "base/json.h"
#include "report/diff.h"

namespace ungate::report {
namespace {

void write_side(JsonWriter& w, std::string_view key, const audit::Records& side) {
  w.key(key).begin_object().field("name", side.name).texts("packages", side.packages);
  w.field("open", side.open).end_object();
}

void write_record(JsonWriter& w, std::string_view key, const audit::Record* r) {
  if (r == nullptr) {
    w.key(key).null();
    return;
  }
  w.key(key).begin_object().field("id", r->id).string_or_null("package", r->package);
  w.field("path", r->path).field("line", r->line).field("form", r->form);
  w.field("expression", r->expression).string_or_null("in", r->in);
  w.field("admits", r->admits).field("effect", r->effect).string_or_null("verdict", r->verdict);
  w.end_object();
}

}  // namespace

std::string diff_json(const DiffView& view, const DiffStyle& style) {
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-diff").field("version", 1).field("tool", style.tool);
  write_side(w, "a", *view.a);
  write_side(w, "b", *view.b);
  w.key("targets").begin_array();
  for (const DiffView::OfTarget& t : view.targets) w.string(t.target);
  w.end_array().key("gates").begin_array();
  for (const DiffView::OfTarget& t : view.targets) {
    for (const audit::Difference& d : t.comparison.gates) {
      w.begin_object().field("target", t.target).field("change", audit::name_of(d.change));
      write_record(w, "before", d.before);
      write_record(w, "after", d.after);
      w.end_object();
    }
  }
  w.end_array().key("code").begin_array();
  for (const DiffView::OfTarget& t : view.targets) {
    for (const audit::CodeDifference& d : t.comparison.code) {
      w.begin_object().field("target", t.target).field("path", d.path);
      w.texts("added", d.added).texts("dropped", d.dropped);
      w.field("before", d.before).field("after", d.after).end_object();
    }
  }
  w.end_array().field("suppressed", view.suppressed);
  w.key("errors").begin_array().end_array().end_object();
  return w.take() + '\n';
}

}  // namespace ungate::report
