#include "patch/status.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "base/text.h"
#include "patch/recover.h"

namespace ungate::patch {
namespace {

constexpr std::string_view kNames[] = {"as applied", "drifted", "superseded", "interrupted",
                                       "ended"};

std::size_t count_state(const std::vector<FileCondition>& files, FileState state) {
  return static_cast<std::size_t>(std::ranges::count(files, state, &FileCondition::state));
}

const FileCondition& first_other_than_ours(const std::vector<FileCondition>& files) {
  return *std::ranges::find_if(files,
                               [](const FileCondition& f) { return f.state != FileState::ours; });
}

RunCondition judge(const Run& run, const std::vector<FileCondition>& files) {
  if (run.interrupted()) return RunCondition::interrupted;
  if (count_state(files, FileState::ours) == files.size()) return RunCondition::as_applied;
  std::size_t superseded = count_state(files, FileState::superseded);
  return superseded == files.size() ? RunCondition::superseded : RunCondition::drifted;
}

std::string why(const Run& run, const std::vector<FileCondition>& files, RunCondition condition) {
  if (condition == RunCondition::as_applied) return {};
  if (condition == RunCondition::interrupted) {
    return fmt::format("{} of {} hold what it wrote{}", count_state(files, FileState::ours),
                       text::count(files.size(), "file"),
                       run.reason.empty() ? "" : "; " + run.reason);
  }
  if (condition == RunCondition::ended) {
    return fmt::format("{}{}", name_of(run.state), run.reason.empty() ? "" : ": " + run.reason);
  }
  const FileCondition& first = first_other_than_ours(files);
  std::size_t others = files.size() - count_state(files, FileState::ours);
  std::string more = others > 1 ? fmt::format(" (and {} more)", others - 1) : std::string();
  return fmt::format("{} {}{}", first.path, first.why, more);
}

// Seconds since 1970 of "2026-11-29T23:40:12Z", as nanoseconds at the end of that second.
std::int64_t end_of_second_ns(const std::string& time) {
  tm parts{};
  if (strptime(time.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return 0;
  return (timegm(&parts) + 1) * std::int64_t{1'000'000'000} - 1;
}

Result<RunStatus> status_of(const Run& run, Conditions& conditions, const Variables& variables) {
  RunStatus out{run, RunCondition::ended, {}, {}, {}};
  if (run.stands() || run.interrupted()) {
    auto files = conditions.of(run);
    if (!files) return std::unexpected(files.error());
    out.files = std::move(*files);
    out.condition = judge(run, out.files);
    out.caches = find_caches(run.caches, variables, end_of_second_ns(run.state_time));
  }
  out.why = why(run, out.files, out.condition);
  return out;
}

void add_left_overs(const std::string& root, const Journal& journal, StatusReport& report) {
  for (const Run& run : journal.runs()) {
    std::ranges::move(find_temporaries(run), std::back_inserter(report.left_overs));
  }
  for (const std::string& run : needless_runs(root, journal)) {
    report.left_overs.push_back(state_folder(root) + "/runs/" + run);
  }
}

// The standing run that wrote these bytes, if any.
std::string explained_by(const Journal& journal, const std::string& site, const std::string& path,
                         const std::string& sha256) {
  std::string id;
  for (const Run& run : journal.runs()) {
    if (!run.stands() && !run.interrupted()) continue;
    for (const RunFile& f : run.files) {
      if (f.site == site && f.path == path && f.after_sha256 == sha256) id = run.id;
    }
  }
  return id;
}

void add_mismatches_of_site(const std::string& site, const std::set<std::string>& packages,
                            const Journal& journal, unsigned threads,
                            std::vector<RecordMismatch>& out) {
  package::Environment environment = package::environment_of_site(site);
  package::Owners owners(environment);
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < environment.distributions.size(); ++i) {
    if (packages.contains(environment.distributions[i].name)) wanted.push_back(i);
  }
  for (package::Mismatch& m : package::compare_with_record(environment, owners, wanted, threads)) {
    const package::Distribution& d = environment.distributions[m.distribution];
    std::string run = explained_by(journal, site, m.path, m.sha256);
    out.push_back({site, std::move(m.path), d.name, d.version_text, m.kind, std::move(run)});
  }
}

void add_mismatches(const Journal& journal, unsigned threads, std::vector<RecordMismatch>& out) {
  std::map<std::string, std::set<std::string>> touched;  // packages by site
  for (const Run& run : journal.runs()) {
    if (!run.stands() && !run.interrupted()) continue;
    for (const RunFile& f : run.files) {
      if (!f.package.empty()) touched[f.site].insert(f.package);
    }
  }
  for (auto& [site, packages] : touched) {
    add_mismatches_of_site(site, packages, journal, threads, out);
  }
}

}  // namespace

std::string_view name_of(RunCondition condition) {
  return kNames[static_cast<std::size_t>(condition)];
}

bool StatusReport::differs() const {
  auto other_than_applied = [](const RunStatus& r) {
    return r.condition != RunCondition::as_applied && r.condition != RunCondition::ended;
  };
  return std::ranges::any_of(runs, other_than_applied) ||
         std::ranges::any_of(mismatches, [](const RecordMismatch& m) { return m.run.empty(); });
}

Result<StatusReport> status(const std::string& root, const Variables& variables, unsigned threads) {
  auto journal = Journal::read(root);
  if (!journal) return std::unexpected(journal.error());
  StatusReport report;
  report.writer = writer_of(root);
  report.torn_journal = journal->torn();
  Installed installed;
  Conditions conditions(*journal, installed);
  for (const Run& run : journal->runs()) {
    auto one = status_of(run, conditions, variables);
    if (!one) return std::unexpected(one.error());
    report.runs.push_back(std::move(*one));
  }
  add_left_overs(root, *journal, report);
  add_mismatches(*journal, threads, report.mismatches);
  return report;
}

}  // namespace ungate::patch
