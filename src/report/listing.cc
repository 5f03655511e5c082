#include "report/listing.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace ungate::report {
namespace {

constexpr std::size_t kLineColumns = 10, kEffectColumns = 16, kText = kLineColumns + kEffectColumns;

// "part of kernel k: 1 wait", "reached by op o".
std::vector<std::string> clauses_of(const gate::Gate& gate) {
  std::vector<std::string> out;
  for (std::string_view part : text::split(gate.guards, ';')) {
    if (!text::trim(part).empty()) out.emplace_back(text::trim(part));
  }
  return out;
}

bool look_alike(const Entry& a, const Entry& b) {
  return a.gate->expression == b.gate->expression && a.gate->admitted == b.gate->admitted &&
         a.standing->behind == b.standing->behind;
}

// The clauses that all of them have.
std::vector<std::string> common_clauses(const Entries& entries) {
  std::vector<std::string> common = clauses_of(*entries.front().gate);
  for (const Entry& e : entries) {
    auto own = clauses_of(*e.gate);
    std::erase_if(common,
                  [&](const std::string& c) { return std::ranges::find(own, c) == own.end(); });
  }
  return common;
}

// "12 raises, 3 feature-off", the commonest first.
std::string effects_of(const Entries& entries) {
  std::map<gate::Effect, std::size_t> counts;
  for (const Entry& e : entries) ++counts[e.standing->effect];
  std::vector<std::pair<gate::Effect, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<gate::Effect, std::size_t>::second);
  std::vector<std::string> words;
  for (const auto& [effect, n] : sorted)
    words.push_back(fmt::format("{} {}", grouped(n), gate::name_of(effect)));
  return text::join(words, ", ");
}

bool is_dangerous_entry(const Entry& e) {
  return is_dangerous(e.standing->effect);
}

}  // namespace

std::string owner_of(const gate::Gate& gate) {
  return gate.package.empty() ? "(no package)" : gate.package + ' ' + gate.version;
}

Listing::Listing(const audit::Report& report, const Style& style)
    : report_(report), style_(style), paint_(style.colour) {
  for (const gate::Gate& g : report.gates) by_id_.emplace(g.id, &g);
}

std::string Listing::path_of(const gate::Gate& gate) const {
  std::string path = gate.path;
  if (style_.absolute) path = report_.environment->sites[gate.site].path + '/' + path;
  return text::escape(path);
}

std::string Listing::place_of(const std::string& id) const {
  auto found = by_id_.find(id);
  if (found == by_id_.end()) return id;
  return fmt::format("{}:{}", path_of(*found->second), found->second->begin.line);
}

std::string Listing::in_detail(const Entries& entries) const {
  std::string out;
  for (const Entries& package :
       runs_of(entries, [](const Entry& e) { return owner_of(*e.gate); })) {
    out += "  " + paint_.bold(text::escape(owner_of(*package.front().gate))) + '\n';
    for (const Entries& file : runs_of(package, [](const Entry& e) { return e.gate->path; })) {
      out += "    " + path_of(*file.front().gate) + '\n' + file_in_detail(file);
    }
  }
  return out;
}

std::string Listing::file_in_detail(const Entries& entries) const {
  std::vector<Entries> kinds;
  for (const Entry& e : entries) {
    auto same =
        std::ranges::find_if(kinds, [&](const Entries& k) { return look_alike(k.front(), e); });
    if (same == kinds.end()) same = kinds.insert(same, Entries());
    same->push_back(e);
  }
  std::string out;
  for (const Entries& kind : kinds) {
    if (kind.size() > 2) {
      out += alike(kind);
      continue;
    }
    for (const Entry& e : kind) out += one(e);
  }
  return out;
}

// "      61  raises          supported_major_versions=[9, 10]      3f2a9c10"
std::string Listing::line_of(const Entry& e, std::string_view text) const {
  std::size_t id = e.gate->id.size();
  std::size_t width = static_cast<std::size_t>(style_.width);
  std::size_t room = width > kText + id + 12 ? width - kText - id - 2 : 30;
  std::string effect = padded(std::string(gate::name_of(e.standing->effect)), kEffectColumns);
  return fmt::format("{:>{}}  ", e.gate->begin.line, kLineColumns - 2) +
         paint_.effect(e.standing->effect, effect) +
         padded(text::escape(text::one_line(text, room)), room) + "  " + paint_.dim(e.gate->id) +
         '\n';
}

std::string Listing::behind(const Entry& e) const {
  const auto& ids = e.standing->behind;
  if (ids.empty()) return {};
  std::string out = "behind " + place_of(ids.front());
  if (ids.size() > 1) out += fmt::format(" and {} more", ids.size() - 1);
  return out;
}

std::string Listing::one(const Entry& e) const {
  std::vector<std::string> parts{"admits " + arch::to_text(e.gate->admitted)};
  for (std::string& clause : clauses_of(*e.gate)) parts.push_back(std::move(clause));
  if (std::string b = behind(e); !b.empty()) parts.push_back(std::move(b));
  if (!e.gate->follows.empty()) parts.push_back("opened with group " + e.gate->follows);
  return line_of(e, e.gate->expression) + wrapped(text::escape(text::join(parts, "; ")), kText,
                                                  static_cast<std::size_t>(style_.width));
}

std::string Listing::alike(const Entries& entries) const {
  const Entry& first = entries.front();
  auto width = static_cast<std::size_t>(style_.width);
  std::string condition = text::escape(text::one_line(first.gate->expression, width - kText - 10));
  std::string out =
      fmt::format("{:>{}}  {}\n", fmt::format("{} times", entries.size()), kText - 2, condition);
  auto common = common_clauses(entries);
  std::vector<std::string> parts{"admits " + arch::to_text(first.gate->admitted)};
  parts.insert(parts.end(), common.begin(), common.end());
  if (std::string b = behind(first); !b.empty()) parts.push_back(std::move(b));
  out += wrapped(text::escape(text::join(parts, "; ")), kText, width);
  for (const Entry& e : entries) {
    auto own = clauses_of(*e.gate);
    std::erase_if(
        own, [&](const std::string& c) { return std::ranges::find(common, c) != common.end(); });
    out += line_of(e, own.empty() ? e.gate->enclosing : text::join(own, "; "));
  }
  return out;
}

std::string Listing::by_package(const Entries& entries) const {
  constexpr std::size_t kMostFiles = 12;
  std::string out;
  auto width = static_cast<std::size_t>(style_.width);
  for (const Entries& package :
       runs_of(entries, [](const Entry& e) { return owner_of(*e.gate); })) {
    out += "  " + paint_.bold(text::escape(owner_of(*package.front().gate))) + '\n' +
           wrapped(effects_of(package), 4, width);
    std::vector<Entries> files = runs_of(package, [](const Entry& e) { return e.gate->path; });
    std::size_t shown = 0;
    for (const Entries& file : files) {
      if (shown < kMostFiles && std::ranges::any_of(file, is_dangerous_entry)) {
        out += file_in_short(file);
        ++shown;
      }
    }
    if (shown < files.size()) {
      std::string rest = text::count(files.size() - shown, "file");
      out += shown == 0 ? "    in " + rest + '\n' : "    and " + rest + " more\n";
    }
  }
  return out;
}

// "    flashinfer/mla.py  2 raises; lines 10, 20"
std::string Listing::file_in_short(const Entries& file) const {
  constexpr std::size_t kLines = 40;
  std::string lines;
  for (const Entry& e : file) {
    std::string number = (lines.empty() ? "" : ", ") + std::to_string(e.gate->begin.line);
    if (lines.size() + number.size() > kLines) {
      lines += ", …";
      break;
    }
    lines += number;
  }
  return "    " + path_of(*file.front().gate) + '\n' +
         wrapped(fmt::format("{}; {} {}", effects_of(file), file.size() == 1 ? "line" : "lines", lines),
                 8, static_cast<std::size_t>(style_.width));
}

}  // namespace ungate::report
