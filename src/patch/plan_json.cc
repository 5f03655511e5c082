#include "patch/plan_json.h"

#include <fmt/core.h>

#include "package/folder.h"

namespace ungate::patch {
namespace {

constexpr std::string_view kSchema = "ungate-plan";
constexpr std::int64_t kVersion = 1;

bool is_utf8(std::string_view s) {
  JsonWriter w;
  w.string(s);
  auto back = nlohmann::json::parse(w.text(), nullptr, false);
  return back.is_string() && back.get_ref<const std::string&>() == s;
}

std::string to_hex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) out += fmt::format("{:02x}", c);
  return out;
}

void write_bytes(JsonWriter& w, const std::string& name, std::string_view bytes) {
  if (is_utf8(bytes)) {
    w.field(name, bytes);
  } else {
    w.field(name + "_hex", to_hex(bytes));
  }
}

void write_file(JsonWriter& w, const FileChange& change, const std::string& root) {
  w.begin_object();
  w.field("site", site_in_file(change.site, root)).field("path", change.path);
  w.field("before_sha256", change.before_sha256).field("after_sha256", change.after_sha256);
  write_strings(w, "steps", change.steps);
  w.key("edits").begin_array();
  for (const source::Edit& edit : change.edits) {
    w.begin_object().field("begin", edit.range.begin).field("end", edit.range.end);
    write_bytes(w, "before", edit.before);
    write_bytes(w, "after", edit.after);
    w.end_object();
  }
  w.end_array().end_object();
}

FileChange read_file_change(const JsonFields& from, const std::string& root) {
  FileChange change;
  change.site = site_from_file(from.string("site"), root);
  change.path = from.string("path");
  change.before_sha256 = from.string("before_sha256");
  change.after_sha256 = from.string("after_sha256");
  change.steps = from.strings("steps");
  from.each("edits", [&](const JsonFields& edit) {
    source::Range range{static_cast<std::uint32_t>(edit.number("begin")),
                        static_cast<std::uint32_t>(edit.number("end"))};
    change.edits.push_back({range, edit.bytes("before"), edit.bytes("after")});
  });
  return change;
}

}  // namespace

void write_strings(JsonWriter& w, std::string_view name, const std::vector<std::string>& items) {
  w.key(name).begin_array();
  for (const std::string& item : items) w.string(item);
  w.end_array();
}

void write_steps(JsonWriter& w, const std::vector<PlanStep>& steps) {
  w.key("steps").begin_array();
  for (const PlanStep& s : steps) {
    w.begin_object().field("set", s.set).field("id", s.id).field("package", s.package);
    w.field("version", s.version).field("state", s.state).field("detail", s.detail).end_object();
  }
  w.end_array();
}

void write_reliances(JsonWriter& w, const std::vector<Reliance>& relies_on,
                     const std::string& root) {
  w.key("relies_on").begin_array();
  for (const Reliance& r : relies_on) {
    w.begin_object().field("site", site_in_file(r.site, root)).field("path", r.path);
    w.field("sha256", r.sha256).end_object();
  }
  w.end_array();
}

void write_caches(JsonWriter& w, const std::vector<CacheRule>& rules) {
  w.key("caches").begin_array();
  for (const CacheRule& rule : rules) {
    w.begin_object().field("name", rule.name);
    write_strings(w, "bases", rule.bases);
    write_strings(w, "folders", rule.folders);
    write_strings(w, "modules", rule.modules);
    w.end_object();
  }
  w.end_array();
}

std::vector<PlanStep> read_steps(const JsonFields& from) {
  std::vector<PlanStep> out;
  from.each("steps", [&](const JsonFields& s) {
    out.push_back({s.string("set"), s.string("id"), s.string("package"), s.string("version"),
                   s.string("state"), s.string("detail")});
  });
  return out;
}

std::vector<Reliance> read_reliances(const JsonFields& from, const std::string& root) {
  std::vector<Reliance> out;
  from.each("relies_on", [&](const JsonFields& r) {
    out.push_back({site_from_file(r.string("site"), root), r.string("path"), r.string("sha256")});
  });
  return out;
}

std::vector<CacheRule> read_caches(const JsonFields& from) {
  std::vector<CacheRule> out;
  from.each("caches", [&](const JsonFields& c) {
    out.push_back(
        {c.string("name"), c.strings("bases"), c.strings("folders"), c.strings("modules")});
  });
  return out;
}

std::string site_in_file(const std::string& site, const std::string& root) {
  if (!package::is_within(site, root)) return site;
  return site.size() == root.size() ? std::string()
                                    : site.substr(root == "/" ? 1 : root.size() + 1);
}

std::string site_from_file(const std::string& site, const std::string& root) {
  if (site.empty()) return root;
  return site.starts_with('/') ? site : package::join_path(root, site);
}

std::string to_json(const Plan& plan) {
  JsonWriter w(2);
  w.begin_object().field("schema", kSchema).field("version", kVersion);
  w.field("root", plan.root).field("target", plan.target);
  write_steps(w, plan.steps);
  w.key("files").begin_array();
  for (const FileChange& change : plan.files) write_file(w, change, plan.root);
  w.end_array();
  write_reliances(w, plan.relies_on, plan.root);
  write_caches(w, plan.caches);
  w.end_object();
  return w.take() + '\n';
}

namespace {

Result<Plan> read_plan(const nlohmann::json& document, const std::string& where, const std::string& root) {
  std::string problem;
  JsonFields fields(document, "", problem);
  if (fields.string("schema") != kSchema) {
    return fail(ErrorCode::bad_config, "is not an ungate plan", where);
  }
  if (fields.number("version") != kVersion) {
    return fail(ErrorCode::bad_config, "was written by another version of ungate", where,
                "plan again");
  }
  Plan plan;
  plan.root = root.empty() ? fields.string("root") : root;
  plan.target = fields.string("target");
  plan.steps = read_steps(fields);
  fields.each("files",
              [&](const JsonFields& f) { plan.files.push_back(read_file_change(f, plan.root)); });
  plan.relies_on = read_reliances(fields, plan.root);
  plan.caches = read_caches(fields);
  if (!problem.empty()) return fail(ErrorCode::bad_config, problem, where);
  return plan;
}

}  // namespace

Result<Plan> plan_from_json(std::string_view json, const std::string& where, const std::string& root) {
  auto document = nlohmann::json::parse(json, nullptr, false);
  if (document.is_discarded()) return fail(ErrorCode::bad_config, "is not JSON", where);
  return read_plan(document, where, root);
}

Result<std::vector<Plan>> plans_from_json(std::string_view json, const std::string& where, const std::string& root) {
  auto document = nlohmann::json::parse(json, nullptr, false);
  if (document.is_discarded()) return fail(ErrorCode::bad_config, "is not JSON", where);
  std::vector<nlohmann::json> found;
  if (document.is_object() && document.value("schema", nlohmann::json()) == "ungate-plans" && document.contains("plans") &&
      document["plans"].is_array()) {
    for (nlohmann::json& plan : document["plans"]) found.push_back(std::move(plan));
  } else {
    found.push_back(std::move(document));
  }
  if (found.size() > 1 && !root.empty()) {
    return fail(ErrorCode::usage, "holds plans for several environments", where, "apply it without naming one");
  }
  std::vector<Plan> plans;
  for (const nlohmann::json& one : found) {
    auto plan = read_plan(one, where, root);
    if (!plan) return std::unexpected(plan.error());
    plans.push_back(std::move(*plan));
  }
  return plans;
}

}  // namespace ungate::patch
