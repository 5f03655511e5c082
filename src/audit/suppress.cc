#include "audit/suppress.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <set>

#include "base/file.h"
#include "rules/yaml.h"

namespace ungate::audit {
namespace {

constexpr std::uint64_t kLargest = 4u << 20;

// "2027-01-31", a day that exists.
bool is_date(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  int parts[3] = {0, 0, 0};
  std::size_t at = 0;
  for (auto [begin, size] : {std::pair(0, 4), std::pair(5, 2), std::pair(8, 2)}) {
    for (int i = begin; i < begin + size; ++i) {
      if (text[static_cast<std::size_t>(i)] < '0' || text[static_cast<std::size_t>(i)] > '9') return false;
      parts[at] = parts[at] * 10 + (text[static_cast<std::size_t>(i)] - '0');
    }
    ++at;
  }
  std::tm day{};
  day.tm_year = parts[0] - 1900, day.tm_mon = parts[1] - 1, day.tm_mday = parts[2], day.tm_hour = 12;
  std::tm asked = day;
  return parts[0] >= 1900 && timegm(&day) != -1 && day.tm_mon == asked.tm_mon && day.tm_mday == asked.tm_mday;
}

Suppression read_entry(const rules::Yaml& entry) {
  entry.allow({"gate", "path", "package", "form", "target", "reason", "expires"});
  auto optional = [&](std::string_view key) { return entry[key].exists() ? entry[key].text() : std::string(); };
  Suppression s;
  s.gate = optional("gate"), s.path = optional("path"), s.package = optional("package");
  s.form = optional("form"), s.target = optional("target");
  s.reason = entry.required("reason");
  s.expires = entry.required("expires");
  s.where = entry.where();
  if (s.gate.empty() && s.path.empty() && s.package.empty() && s.form.empty())
    entry.fail("says neither gate, path, package nor form: it would ignore everything");
  if (!s.expires.empty() && !is_date(s.expires))
    entry["expires"].fail("'" + s.expires + "' is no date; dates are written 2027-01-31");
  if (!s.target.empty()) {
    if (auto device = arch::parse_device(s.target))
      s.target = device->name();
    else
      entry["target"].fail("'" + s.target + "' is no device");
  }
  return s;
}

template <class Covers>
std::size_t take_out(Report& report, Covers&& covers) {
  return std::erase_if(report.gates, [&](const gate::Gate& g) {
    bool any = false;
    for (const gate::Standing& s : g.standings) {
      if (s.admits == gate::Admits::yes) continue;
      any = true;
      Record r;
      r.id = g.id, r.path = g.path, r.package = g.package, r.form = g.form;
      r.target = s.device.name(), r.admits = gate::name_of(s.admits);
      if (!covers(r)) return false;
    }
    return any;
  });
}

}  // namespace

bool Suppression::fits(const Record& r) const {
  return (gate.empty() || r.id == gate) && (package.empty() || r.package == package) &&
         (form.empty() || r.form == form) && (target.empty() || r.target == target) &&
         (path.empty() || fnmatch(path.c_str(), r.path.c_str(), 0) == 0);
}

bool Suppressions::cover(const Record& record) const {
  return std::ranges::any_of(valid, [&](const Suppression& s) { return s.fits(record); });
}

Result<Suppressions> load_suppressions(const std::string& path, const std::string& today) {
  auto file = read_file(path, kLargest);
  if (!file) return std::unexpected(file.error());
  auto as_config = [](Error e) {
    e.code = ErrorCode::bad_config;
    if (e.next.empty()) e.next = "correct the file, or name another one with --ignore";
    return std::unexpected(std::move(e));
  };
  auto yaml = rules::Yaml::parse(file->bytes, path);
  if (!yaml) return as_config(yaml.error());
  Suppressions out;
  if (yaml->is_null() || !yaml->exists()) return out;
  yaml->allow({"ignore"});
  for (const rules::Yaml& entry : (*yaml)["ignore"].items()) {
    Suppression s = read_entry(entry);
    (s.expires < today ? out.expired : out.valid).push_back(std::move(s));
  }
  if (auto status = yaml->status(); !status) return as_config(status.error());
  return out;
}

std::string today() {
  std::time_t now = std::time(nullptr);
  std::tm day{};
  gmtime_r(&now, &day);
  return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

std::size_t suppress(Report& report, const Suppressions& suppressions) {
  return take_out(report, [&](const Record& r) { return suppressions.cover(r); });
}

std::size_t leave_out_baseline(Report& report, const Records& baseline) {
  std::set<std::string> known;
  auto key = [](const Record& r) { return r.id + '\n' + r.path + '\n' + r.target + '\n' + r.admits; };
  for (const Record& r : baseline.all) known.insert(key(r));
  return take_out(report, [&](const Record& r) { return known.contains(key(r)); });
}

}  // namespace ungate::audit
