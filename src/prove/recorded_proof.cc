#include "prove/recorded_proof.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ungate::prove {
namespace {

constexpr int kVersion = 1;
constexpr const char* kSchema = "ungate-recorded-proof";
using nlohmann::json;

std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.find('/'));
}

void write_rows(JsonWriter& w, const char* key, const std::map<std::string, KernelRow>& rows) {
  w.key(key).begin_array();
  for (const auto& [name, row] : rows) {
    w.begin_object().field("name", name).field("instances", row.instances);
    w.field("code_least", row.code.least).field("code_most", row.code.most);
    w.field("registers_least", row.registers.least).field("registers_most", row.registers.most);
    w.field("shared", row.shared).field("spills", row.spills);
    w.field("nothing", row.nothing).field("traps", row.traps).field("waits", row.waits).end_object();
  }
  w.end_array();
}

std::map<std::string, KernelRow> rows_from(const json& list) {
  std::map<std::string, KernelRow> out;
  for (const json& j : list) {
    KernelRow& row = out[j.at("name").get<std::string>()];
    j.at("instances").get_to(row.instances);
    j.at("code_least").get_to(row.code.least), j.at("code_most").get_to(row.code.most);
    j.at("registers_least").get_to(row.registers.least), j.at("registers_most").get_to(row.registers.most);
    j.at("shared").get_to(row.shared), j.at("spills").get_to(row.spills);
    j.at("nothing").get_to(row.nothing), j.at("traps").get_to(row.traps), j.at("waits").get_to(row.waits);
  }
  return out;
}

RecordedProof parse(const json& j) {
  RecordedProof out;
  j.at("set").get_to(out.set);
  j.at("package").get_to(out.package);
  j.at("release").get_to(out.release);
  j.at("cpu_seconds").get_to(out.cpu_seconds);
  for (const json& f : j.at("files"))
    out.files.push_back({f.at("path").get<std::string>(), f.at("before_sha256").get<std::string>(), f.at("after_sha256").get<std::string>()});
  for (const json& u : j.at("units"))
    out.units.push_back({u.at("source").get<std::string>(), u.at("target").get<std::string>(), rows_from(u.at("kernels")), rows_from(u.at("before"))});
  for (const json& o : j.at("others"))
    out.others.push_back({o.at("source").get<std::string>(), o.at("target").get<std::string>(), o.at("same").get<std::string>()});
  return out;
}

}  // namespace

RecordedProof recorded_proof_of(const Proof& proof, const std::vector<EditedFile>& files, std::string_view folder) {
  RecordedProof out;
  for (const EditedFile& f : files) {
    if (f.path.starts_with(folder)) out.files.push_back(f);
  }
  std::ranges::sort(out.files, {}, &EditedFile::path);
  out.record = record_of(proof, false);
  for (const UnitProof& unit : proof.units) {
    for (const TargetProof& t : unit.targets) {
      if (!t.after) continue;
      RecordedUnit row{unit.unit.source, t.target.name(), rows_of(*t.after), {}};
      out.cpu_seconds += t.after->cpu_seconds;
      if (t.before) {
        out.cpu_seconds += t.before->cpu_seconds;
        for (auto& [name, before] : rows_of(*t.before)) {
          auto now = row.kernels.find(name);
          if (now == row.kernels.end() || now->second != before) row.before.emplace(name, before);
        }
      }
      out.units.push_back(std::move(row));
    }
    for (const OtherProof& o : unit.others) {
      out.cpu_seconds += o.unchanged.cpu_seconds;
      if (o.known) out.others.push_back({unit.unit.source, o.target.name(), std::string(name_of(o.unchanged.same))});
    }
  }
  return out;
}

std::string to_json(const RecordedProof& p) {
  JsonWriter w(1);
  w.begin_object().field("schema", kSchema).field("version", kVersion);
  w.field("set", p.set).field("package", p.package).field("release", p.release);
  w.key("record");
  write(w, p.record);
  w.field("cpu_seconds", static_cast<std::int64_t>(p.cpu_seconds));
  w.key("files").begin_array();
  for (const EditedFile& f : p.files)
    w.begin_object().field("path", f.path).field("before_sha256", f.before_sha256).field("after_sha256", f.after_sha256).end_object();
  w.end_array().key("units").begin_array();
  for (const RecordedUnit& u : p.units) {
    w.begin_object().field("source", u.source).field("target", u.target);
    write_rows(w, "kernels", u.kernels);
    write_rows(w, "before", u.before);
    w.end_object();
  }
  w.end_array().key("others").begin_array();
  for (const RecordedOther& o : p.others)
    w.begin_object().field("source", o.source).field("target", o.target).field("same", o.same).end_object();
  w.end_array().end_object();
  return w.take() + '\n';
}

Result<RecordedProof> recorded_proof_from_json(std::string_view text, const std::string& path) {
  json j = json::parse(text, nullptr, false);
  if (!j.is_object() || j.value("schema", "") != kSchema || j.value("version", 0) != kVersion)
    return fail(ErrorCode::bad_rule, "this is no recorded proof of this version", path, "write it anew with `ungate prove SET --record FILE`");
  try {
    RecordedProof out = parse(j);
    auto record = record_from_json(j.at("record").dump());
    if (!record) return fail(ErrorCode::bad_rule, "its record cannot be read", path);
    out.record = std::move(*record);
    out.record.recorded_for = out.package + ' ' + out.release;
    return out;
  } catch (const json::exception& e) {
    return fail(ErrorCode::bad_rule, std::string("this recorded proof is not whole: ") + e.what(), path);
  }
}

bool covers(const RecordedProof& proof, const std::vector<EditedFile>& files, arch::Device device) {
  if (proof.files.empty()) return false;
  bool asked = std::ranges::any_of(proof.record.targets, [&](const std::string& name) {
    auto target = arch::parse_code_target(name);
    return target && target->device() == device;
  });
  std::string_view folder = folder_of(proof.files.front().path);
  auto in_folder = [&](const EditedFile& f) { return folder_of(f.path) == folder; };
  return asked && std::ranges::count_if(files, in_folder) == static_cast<std::ptrdiff_t>(proof.files.size()) &&
         std::ranges::all_of(proof.files, [&](const EditedFile& f) { return std::ranges::find(files, f) != files.end(); });
}

}  // namespace ungate::prove
