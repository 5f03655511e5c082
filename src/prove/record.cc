#include "prove/record.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "prove/store.h"

namespace ungate::prove {
namespace {

constexpr int kFormat = 1;

std::string one_line(const Problem& p) {
  std::string out = p.kind + ": " + (p.kernel.empty() ? "" : p.kernel + ' ') + p.what;
  return p.where.empty() ? out : out + " (" + p.where + ')';
}

}  // namespace

ProofRecord record_of(const Proof& proof, bool quick) {
  ProofRecord out;
  out.proved = proof.ok() && !proof.units.empty();
  out.quick = quick;
  out.compiler = proof.compiler;
  out.units = proof.units.size();
  std::set<std::string> targets, unchanged;
  for (const UnitProof& unit : proof.units) {
    for (const TargetProof& t : unit.targets) {
      targets.insert(t.target.name());
      if (t.after) out.kernels += t.after->kernels.size();
      for (const Problem& p : t.problems) out.problems.push_back(one_line(p));
    }
    for (const OtherProof& o : unit.others) {
      if (o.known) unchanged.insert(o.target.name());
      for (const Problem& p : o.problems) out.problems.push_back(one_line(p));
    }
  }
  out.targets.assign(targets.begin(), targets.end());
  out.unchanged.assign(unchanged.begin(), unchanged.end());
  return out;
}

std::string record_key(std::vector<EditedFile> files, std::string_view target) {
  std::ranges::sort(files, {}, &EditedFile::path);
  std::string text(target);
  for (const EditedFile& f : files) text += '\n' + f.path + ' ' + f.before_sha256 + ' ' + f.after_sha256;
  return "proof-" + hex(hash64(text));
}

void save_record(const std::string& folder, const std::string& key, const ProofRecord& record) {
  JsonWriter w;
  write(w, record);
  Store(folder).save(key, w.text());
}

std::optional<ProofRecord> load_record(const std::string& folder, const std::string& key) {
  auto json = Store(folder).load(key);
  return json ? record_from_json(*json) : std::nullopt;
}

void write(JsonWriter& w, const ProofRecord& r) {
  w.begin_object().field("format", kFormat).field("proved", r.proved).field("quick", r.quick).field("compiler", r.compiler);
  w.texts("targets", r.targets);
  w.texts("unchanged", r.unchanged);
  w.field("units", r.units).field("kernels", r.kernels);
  w.texts("problems", r.problems);
  w.string_or_null("recorded_for", r.recorded_for);
  w.end_object();
}

std::optional<ProofRecord> record_from_json(std::string_view json) {
  auto j = nlohmann::json::parse(json, nullptr, false);
  if (!j.is_object() || j.value("format", 0) != kFormat) return std::nullopt;
  try {
    ProofRecord r;
    j.at("proved").get_to(r.proved);
    j.at("quick").get_to(r.quick);
    j.at("compiler").get_to(r.compiler);
    j.at("targets").get_to(r.targets);
    j.at("unchanged").get_to(r.unchanged);
    j.at("units").get_to(r.units);
    j.at("kernels").get_to(r.kernels);
    j.at("problems").get_to(r.problems);
    return r;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::string to_text(const ProofRecord& r) {
  if (!r.proved) {
    std::string why = r.problems.empty() ? "no unit was compiled" : text::count(r.problems.size(), "problem") + ", the first: " + r.problems.front();
    return "the proof failed with " + (r.compiler.empty() ? std::string("no compiler") : r.compiler) + ": " + why;
  }
  std::string out = fmt::format("proved with {}: {}, {} for {}", r.compiler, text::count(r.units, "unit"), text::count(r.kernels, "kernel"),
                                text::join(r.targets, ", "));
  if (!r.unchanged.empty()) out += "; " + text::join(r.unchanged, ", ") + " unchanged";
  if (!r.recorded_for.empty()) out += " (recorded for " + r.recorded_for + ')';
  return r.quick ? out + " (--quick: not all units)" : out;
}

}  // namespace ungate::prove
