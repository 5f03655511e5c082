// A proof as JSON.
#include "report/proof_view.h"

namespace ungate::report {
namespace {

void write(JsonWriter& w, const prove::Problem& p) {
  w.begin_object().field("kind", p.kind).field("what", p.what).string_or_null("where", p.where);
  w.string_or_null("kernel", p.kernel).field("instances", p.count).end_object();
}

void write(JsonWriter& w, const std::vector<prove::Problem>& problems) {
  w.key("problems").begin_array();
  for (const prove::Problem& p : problems) write(w, p);
  w.end_array();
}

void write(JsonWriter& w, const prove::KernelFacts& k) {
  w.begin_object().field("name", k.name).field("function", prove::base_name(k.name));
  w.string_or_null("template_arguments", prove::template_arguments(k.name));
  w.field("code_bytes", k.code_bytes).field("registers", k.registers).field("stack_bytes", k.stack_bytes);
  w.field("spill_bytes", k.spill_bytes).field("shared_bytes", k.shared_bytes).field("instructions", k.instructions);
  w.field("does_nothing", k.does_nothing()).field("only_traps", k.only_traps());
  w.field("wait", k.wait).field("trigger", k.trigger);
  w.texts("features", k.features);
  w.end_object();
}

void write(JsonWriter& w, const char* name, const std::optional<prove::Build>& build) {
  w.key(name);
  if (!build) {
    w.null();
    return;
  }
  w.begin_object().field("compiled", build->compiled).field("assembled", build->assembled);
  if (!build->compiled) {
    const prove::Failure& f = build->failure;
    w.key("failure").begin_object().field("program", f.program).field("message", f.message);
    w.string_or_null("where", f.where).string_or_null("kernel", f.kernel);
    w.string_or_null("instruction", f.instruction).string_or_null("feature", f.feature).end_object();
  }
  w.key("kernels").begin_array();
  for (const prove::KernelFacts& k : build->kernels) write(w, k);
  w.end_array().end_object();
}

void write(JsonWriter& w, const prove::UnitProof& unit) {
  w.begin_object().field("module", unit.unit.module).field("source", unit.unit.source).field("proved", unit.ok());
  w.texts("flags", unit.unit.flags);
  w.key("targets").begin_array();
  for (const prove::TargetProof& t : unit.targets) {
    w.begin_object().field("target", t.target.name());
    w.string_or_null("compared_with", t.reference ? t.reference->name() : "");
    w.field("kernels_that_wait", t.waits).field("kernels_launched_programmatically", t.launched_programmatic);
    write(w, t.problems);
    w.texts("notes", t.notes);
    write(w, "before", t.before);
    write(w, "after", t.after);
    w.end_object();
  }
  w.end_array().key("others").begin_array();
  for (const prove::OtherProof& o : unit.others) {
    w.begin_object().field("target", o.target.name());
    w.string_or_null("how", o.known ? prove::name_of(o.unchanged.same) : std::string_view());
    w.texts("host_functions", o.unchanged.host);
    w.texts("changed", o.unchanged.changed);
    w.texts("added", o.unchanged.added);
    w.texts("removed", o.unchanged.removed);
    write(w, o.problems);
    w.end_object();
  }
  w.end_array().end_object();
}

}  // namespace

void write_proof(JsonWriter& w, const prove::Proof& proof) {
  w.begin_object().field("proved", proof.ok()).field("compiler", proof.compiler);
  w.key("units").begin_array();
  for (const prove::UnitProof& unit : proof.units) write(w, unit);
  w.end_array();
  w.texts("not_proved", proof.not_proved);
  w.end_object();
}

std::string proof_json(const ProofView& view, const Style& style) {
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-proof").field("version", 1).field("tool", style.tool);
  w.field("environment", view.where).field("subject", view.subject).key("targets").begin_array();
  for (arch::Device d : view.targets) w.string(d.name());
  w.end_array().field("quick", view.quick);
  w.texts("files", view.files);
  w.texts("notes", view.notes);
  w.key("judged").begin_object();
  for (const auto& [module, word] : view.judged) w.field(module, word);
  w.end_object().key("proof");
  write_proof(w, view.proof);
  w.key("errors").begin_array().end_array().end_object();
  return w.take() + '\n';
}

}  // namespace ungate::report
