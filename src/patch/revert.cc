#include "patch/revert.h"

#include <algorithm>

#include <fmt/core.h>

#include "package/folder.h"
#include "patch/recover.h"

namespace ungate::patch {
namespace {

bool is_among(const std::vector<Run>& runs, const Run& run) {
  return std::ranges::find(runs, run.id, &Run::id) != runs.end();
}

// True if `later` was made from bytes that `run` wrote, or was decided on them.
bool builds_on(const Run& later, const Run& run) {
  return std::ranges::any_of(run.files, [&](const RunFile& file) {
    auto edits = [&](const RunFile& f) {
      return f.site == file.site && f.path == file.path && f.before_sha256 == file.after_sha256;
    };
    auto relies = [&](const Reliance& r) {
      return r.site == file.site && r.path == file.path && r.sha256 == file.after_sha256;
    };
    return std::ranges::any_of(later.files, edits) || std::ranges::any_of(later.relies_on, relies);
  });
}

Status check_order(const Journal& journal, const std::vector<Run>& chosen) {
  for (const Run& run : chosen) {
    bool later = false;
    for (const Run& other : journal.runs()) {
      if (later && other.stands() && !is_among(chosen, other) && builds_on(other, run)) {
        return fail(ErrorCode::refused, fmt::format("run {} builds on run {}", other.id, run.id),
                    {}, fmt::format("ungate revert {} {}", other.id, run.id));
      }
      later |= other.id == run.id;
    }
  }
  return {};
}

// The conditions of every chosen run, each judged as if the newer ones had been put back.
Result<std::vector<std::vector<FileCondition>>> look_at(const Journal& journal,
                                                        const std::vector<Run>& chosen,
                                                        Installed& installed, bool force) {
  std::vector<std::vector<FileCondition>> out;
  Conditions conditions(journal, installed);
  for (const Run& run : chosen) {
    auto found = conditions.of(run);
    if (!found) return std::unexpected(found.error());
    for (std::size_t n = 0; n < run.files.size(); ++n) {
      FileState state = (*found)[n].state;
      if (state == FileState::ours || (state == FileState::foreign && force)) {
        conditions.pretend(run.files[n], run.files[n].before_sha256);
      }
    }
    out.push_back(std::move(*found));
  }
  return out;
}

Status refuse_foreign(const std::vector<std::vector<FileCondition>>& all) {
  for (const auto& conditions : all) {
    if (auto clean = check_foreign(conditions); !clean) return clean;
  }
  return {};
}

Result<RevertedRun> revert_run(StateFolder& state, Journal& journal, const Run& run,
                               const std::vector<FileCondition>& conditions,
                               const RevertOptions& options, Progress& progress) {
  if (auto entered = journal.enter(run.id, Run::State::reverting); !entered) {
    return std::unexpected(entered.error());
  }
  auto back = put_back(state, run, conditions, options.force, options.cancel, progress);
  if (!back) {
    (void)journal.stopped(run.id, back.error().what);
    return std::unexpected(back.error());
  }
  Run as_asked = run;
  as_asked.clear_caches = options.clear_caches.value_or(run.clear_caches);
  RevertedRun out{run.id, std::move(back->restored), std::move(back->left_alone), {}};
  out.by_products = clear_by_products_of(as_asked, options.variables, progress);
  auto ended = end_run(state, journal, run, Run::State::reverted, {});
  return ended ? Result<RevertedRun>(std::move(out)) : std::unexpected(ended.error());
}

}  // namespace

Result<std::vector<Run>> standing_runs(const Journal& journal,
                                       const std::vector<std::string>& texts) {
  std::vector<Run> out;
  auto add = [&](const Run& run) {
    if (!is_among(out, run)) out.push_back(run);
  };
  for (const std::string& text : texts) {
    std::vector<const Run*> found;
    for (const Run& run : journal.runs()) {
      if (run.id.starts_with(text)) found.push_back(&run);
    }
    if (const Run* exact = journal.find(text)) found = {exact};
    if (found.empty()) {
      return fail(ErrorCode::not_found, "no such run", text, "`ungate status` lists the runs");
    }
    if (found.size() > 1) {
      return fail(ErrorCode::not_found, "means several runs", text, "write more of its id");
    }
    if (!found[0]->stands()) {
      return fail(ErrorCode::not_found,
                  fmt::format("run {} does not stand: {}", found[0]->id, name_of(found[0]->state)),
                  text);
    }
    add(*found[0]);
  }
  for (const Run& run : journal.runs()) {
    if (texts.empty() && run.stands()) add(run);
  }
  // The journal's order, turned round.
  std::ranges::sort(out, std::greater(),
                    [&](const Run& run) { return journal.find(run.id) - journal.runs().data(); });
  return out;
}

Result<RevertReport> revert(const std::string& root, const std::vector<std::string>& runs,
                            const RevertOptions& options, Progress& progress) {
  if (!package::exists(state_folder(root))) {
    return fail(ErrorCode::not_found, "nothing was applied here", root);
  }
  auto state = StateFolder::lock(root);
  if (!state) return std::unexpected(state.error());
  auto journal = Journal::read(root);
  if (!journal) return std::unexpected(journal.error());
  if (const Run* run = journal->interrupted()) {
    return std::unexpected(interrupted_error(*run, root));
  }
  auto chosen = standing_runs(*journal, runs);
  if (!chosen) return std::unexpected(chosen.error());
  if (auto order = check_order(*journal, *chosen); !order) return std::unexpected(order.error());
  Installed installed;
  auto conditions = look_at(*journal, *chosen, installed, options.force);
  if (!conditions) return std::unexpected(conditions.error());
  if (!options.force) {
    if (auto clean = refuse_foreign(*conditions); !clean) return std::unexpected(clean.error());
  }
  RevertReport report;
  for (std::size_t i = 0; i < chosen->size(); ++i) {
    auto done = revert_run(*state, *journal, (*chosen)[i], (*conditions)[i], options, progress);
    if (!done) return std::unexpected(done.error());
    report.runs.push_back(std::move(*done));
  }
  return report;
}

}  // namespace ungate::patch
