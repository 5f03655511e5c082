#include "prove/build_json.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace ungate::prove {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;

void write(JsonWriter& w, const KernelFacts& k) {
  w.begin_object().field("name", k.name).field("text_hash", k.text_hash).field("instructions", k.instructions);
  w.field("effects", k.effects).field("traps", k.traps).field("wait", k.wait).field("trigger", k.trigger);
  w.key("cluster").begin_array();
  for (std::uint32_t n : k.cluster) w.number(n);
  w.end_array();
  w.texts("features", k.features);
  w.field("code_bytes", k.code_bytes).field("code_hash", k.code_hash).field("registers", k.registers);
  w.field("code_empty", k.code_empty).field("stack_bytes", k.stack_bytes).field("spill_bytes", k.spill_bytes).field("shared_bytes", k.shared_bytes);
  w.end_object();
}

KernelFacts kernel(const Json& j) {
  KernelFacts k;
  j.at("name").get_to(k.name);
  k.text_hash = static_cast<std::uint64_t>(j.at("text_hash").get<std::int64_t>());
  j.at("instructions").get_to(k.instructions);
  j.at("effects").get_to(k.effects);
  j.at("traps").get_to(k.traps);
  j.at("wait").get_to(k.wait);
  j.at("trigger").get_to(k.trigger);
  j.at("cluster").get_to(k.cluster);
  j.at("features").get_to(k.features);
  j.at("code_bytes").get_to(k.code_bytes);
  k.code_hash = static_cast<std::uint64_t>(j.at("code_hash").get<std::int64_t>());
  j.at("registers").get_to(k.registers);
  k.code_empty = j.value("code_empty", false);
  j.at("stack_bytes").get_to(k.stack_bytes);
  j.at("spill_bytes").get_to(k.spill_bytes);
  j.at("shared_bytes").get_to(k.shared_bytes);
  return k;
}

// Milliseconds: the writer has integers only.
std::int64_t ms(double seconds) {
  return static_cast<std::int64_t>(seconds * 1000);
}

template <class T, class Read>
std::optional<T> read(std::string_view json, Read&& read_fields) {
  Json j = Json::parse(json, nullptr, false);
  if (!j.is_object() || j.value("format", 0) != kFormat) return std::nullopt;
  try {
    T out;
    read_fields(j, out);
    out.seconds = static_cast<double>(j.at("ms").get<std::int64_t>()) / 1000;
    out.cpu_seconds = static_cast<double>(j.at("cpu_ms").get<std::int64_t>()) / 1000;
    out.kept = true;
    return out;
  } catch (const Json::exception&) {  // another program's file, or half of one
    return std::nullopt;
  }
}

}  // namespace

std::string to_json(const Build& build) {
  JsonWriter w;
  const Failure& f = build.failure;
  w.begin_object().field("format", kFormat).field("compiled", build.compiled).field("assembled", build.assembled);
  w.field("ms", ms(build.seconds)).field("cpu_ms", ms(build.cpu_seconds));
  w.key("failure").begin_array();
  for (const std::string* s : {&f.program, &f.message, &f.where, &f.kernel, &f.instruction, &f.feature}) w.string(*s);
  w.end_array().key("kernels").begin_array();
  for (const KernelFacts& k : build.kernels) write(w, k);
  w.end_array().end_object();
  return w.take();
}

std::string to_json(const Unchanged& u) {
  JsonWriter w;
  w.begin_object().field("format", kFormat).field("same", static_cast<int>(u.same));
  w.field("ms", ms(u.seconds)).field("cpu_ms", ms(u.cpu_seconds)).field("where", u.where).field("failure", u.failure);
  w.texts("host", u.host);
  w.texts("changed", u.changed);
  w.texts("added", u.added);
  w.texts("removed", u.removed);
  w.end_object();
  return w.take();
}

std::optional<Build> build_from_json(std::string_view json) {
  return read<Build>(json, [](const Json& j, Build& out) {
    j.at("compiled").get_to(out.compiled);
    j.at("assembled").get_to(out.assembled);
    Failure& f = out.failure;
    std::size_t i = 0;
    for (std::string* s : {&f.program, &f.message, &f.where, &f.kernel, &f.instruction, &f.feature})
      j.at("failure").at(i++).get_to(*s);
    for (const Json& k : j.at("kernels")) out.kernels.push_back(kernel(k));
  });
}

std::optional<Unchanged> unchanged_from_json(std::string_view json) {
  return read<Unchanged>(json, [](const Json& j, Unchanged& out) {
    int same = j.at("same").get<int>();
    out.same = same >= 0 && same <= static_cast<int>(Same::no) ? static_cast<Same>(same) : Same::no;
    j.at("where").get_to(out.where);
    j.at("failure").get_to(out.failure);
    j.at("host").get_to(out.host);
    j.at("changed").get_to(out.changed);
    j.at("added").get_to(out.added);
    j.at("removed").get_to(out.removed);
  });
}

}  // namespace ungate::prove
