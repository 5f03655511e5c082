#include "audit/saved.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "base/text.h"

namespace ungate::audit {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& object, const char* key) {
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<Record> record_of(const Json& o) {
  if (!o.is_object()) return std::nullopt;
  Record r;
  r.id = text_of(o, "id"), r.package = text_of(o, "package"), r.path = text_of(o, "path");
  r.form = text_of(o, "form"), r.expression = text_of(o, "expression"), r.in = text_of(o, "in");
  r.guards = text_of(o, "guards"), r.target = text_of(o, "target");
  r.admits = text_of(o, "admits"), r.effect = text_of(o, "effect");
  r.verdict = text_of(o, "verdict");
  auto line = o.find("line");
  if (line != o.end() && line->is_number_unsigned()) r.line = line->get<std::uint32_t>();
  if (r.id.empty() || r.path.empty() || r.target.empty() || r.admits.empty()) return std::nullopt;
  return r;
}

std::unexpected<Error> not_a_report(const std::string& path, const std::string& why) {
  return fail(ErrorCode::bad_config, why, path, "`ungate audit --format json -o FILE` writes such a file");
}

// What the records show where the document does not say it.
void complete(Records& records) {
  std::set<std::string> targets(records.targets.begin(), records.targets.end());
  for (const Record& r : records.all) {
    targets.insert(r.target);
    records.open = records.open || r.admits == "yes";
  }
  records.targets.assign(targets.begin(), targets.end());
  std::ranges::sort(records.packages);
}

Result<Records> load_lines(const std::string& path, std::string_view text) {
  Records out;
  out.name = path;
  std::size_t number = 0;
  for (std::string_view line : text::lines(text)) {
    ++number;
    if (text::trim(line).empty()) continue;
    auto record = record_of(Json::parse(line, nullptr, false));
    if (!record) return not_a_report(path + ':' + std::to_string(number), "this line is no finding");
    out.all.push_back(std::move(*record));
  }
  complete(out);
  return out;
}

}  // namespace

void add_records(const Report& report, Records& into) {
  for (const package::Distribution& d : report.environment->distributions)
    into.packages.push_back(d.name + ' ' + d.version_text);
  for (const gate::Gate& g : report.gates) {
    for (const gate::Standing& s : g.standings) {
      into.all.push_back({g.id, g.package, g.path, g.form, g.expression, g.enclosing, g.guards,
                          g.begin.line, s.device.name(), std::string(gate::name_of(s.admits)),
                          std::string(gate::name_of(s.effect)), std::string(gate::name_of(s.verdict))});
    }
  }
  into.open = true;
  std::ranges::sort(into.packages);
}

bool is_saved_report(const std::string& path) {
  return path.ends_with(".json") || path.ends_with(".jsonl");
}

Result<Records> load_records(const std::string& path) {
  auto file = read_file(path);
  if (!file) return std::unexpected(file.error());
  if (path.ends_with(".jsonl")) return load_lines(path, file->bytes);
  Json json = Json::parse(file->bytes, nullptr, false);
  if (!json.is_object() || text_of(json, "schema") != "ungate-audit") {
    return not_a_report(path, "this is no report of an audit");
  }
  Records out;
  out.name = path;
  for (const char* key : {"targets", "environments", "findings"}) {
    if (!json.contains(key) || !json[key].is_array())
      return not_a_report(path, std::string("the report has no list '") + key + "'");
  }
  for (const Json& t : json["targets"]) {
    if (t.is_string()) out.targets.push_back(t.get<std::string>());
  }
  for (const Json& environment : json["environments"]) {
    auto packages = environment.find("packages");
    if (packages == environment.end() || !packages->is_array()) continue;
    for (const Json& p : *packages) out.packages.push_back(text_of(p, "name") + ' ' + text_of(p, "version"));
  }
  for (const Json& finding : json["findings"]) {
    auto record = record_of(finding);
    if (!record) return not_a_report(path, "one of its findings lacks id, path, target or admits");
    out.all.push_back(std::move(*record));
  }
  complete(out);
  return out;
}

}  // namespace ungate::audit
