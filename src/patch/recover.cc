#include "patch/recover.h"

#include <algorithm>

#include <fmt/core.h>

namespace ungate::patch {
namespace {

bool all_ours(const std::vector<FileCondition>& conditions) {
  return std::ranges::all_of(conditions,
                             [](const FileCondition& c) { return c.state == FileState::ours; });
}

// Ends a run for which the files are done: clears by-products, records the state, drops what was
// kept.
Status conclude(StateFolder& state, Journal& journal, const Run& run, Run::State end,
                std::string_view reason, const Variables& variables, Progress& progress) {
  clear_by_products_of(run, variables, progress);
  return end_run(state, journal, run, end, reason);
}

Result<Recovered> recover_run(StateFolder& state, Journal& journal, const Run& run,
                              Installed& installed, const RecoverOptions& options,
                              Progress& progress) {
  Recovered out{run.id, Recovered::How::undone, {}, {}};
  auto conditions = Conditions(journal, installed).of(run);
  if (!conditions) return std::unexpected(conditions.error());
  if (run.state == Run::State::applying && all_ours(*conditions)) {
    out.how = Recovered::How::completed;
    auto done = conclude(state, journal, run, Run::State::applied, {}, options.variables, progress);
    return done ? Result<Recovered>(out) : std::unexpected(done.error());
  }
  bool reverting = run.state == Run::State::reverting;
  if (reverting) out.how = Recovered::How::reverted;
  auto back = put_back(state, run, *conditions, options.force, nullptr, progress);
  if (!back) return std::unexpected(back.error());
  auto done = conclude(state, journal, run, reverting ? Run::State::reverted : Run::State::undone,
                       "it was interrupted", options.variables, progress);
  if (!done) return std::unexpected(done.error());
  out.restored = std::move(back->restored);
  out.left_alone = std::move(back->left_alone);
  return out;
}

}  // namespace

std::vector<std::string> needless_runs(const std::string& root, const Journal& journal) {
  std::vector<std::string> runs = kept_runs(root);
  std::erase_if(runs, [&](const std::string& id) {
    const Run* run = journal.find(id);
    bool ended =
        run == nullptr || run->state == Run::State::undone || run->state == Run::State::reverted;
    return !ended || !has_originals(root, id);
  });
  return runs;
}

Status end_run(StateFolder& state, Journal& journal, const Run& run, Run::State end,
               std::string_view reason) {
  if (auto entered = journal.enter(run.id, end, reason); !entered) return entered;
  // What cannot be dropped now is a left-over, which recover() removes.
  if (end != Run::State::applied) (void)state.drop_originals(run.id);
  return {};
}

Error interrupted_error(const Run& run, const std::string& root) {
  return {ErrorCode::drift,
          fmt::format("run {} was interrupted while it was {}", run.id,
                      run.state == Run::State::reverting ? "put back" : "written"),
          root, "run `ungate status`, then the command again: it ends that run first"};
}

Result<PutBack> undo(StateFolder& state, Journal& journal, const Run& run, Installed& installed,
                     std::string_view reason, const Variables& variables, Progress& progress,
                     bool force) {
  auto give_up = [&](const Error& error) {
    (void)journal.stopped(run.id, fmt::format("{}; then {}", reason, error.what));
    return std::unexpected(error);
  };
  auto conditions = Conditions(journal, installed).of(run);
  if (!conditions) return give_up(conditions.error());
  auto back = put_back(state, run, *conditions, force, nullptr, progress);
  if (!back) return give_up(back.error());
  auto done = conclude(state, journal, run, Run::State::undone, reason, variables, progress);
  if (!done) return give_up(done.error());
  return back;
}

Result<RecoverReport> recover(const std::string& root, const RecoverOptions& options,
                              Progress& progress) {
  RecoverReport report;
  {
    auto journal = Journal::read(root);
    if (!journal) return std::unexpected(journal.error());
    if (journal->interrupted() == nullptr && needless_runs(root, *journal).empty()) return report;
  }
  auto state = StateFolder::lock(root);
  if (!state) return std::unexpected(state.error());
  auto journal = Journal::read(root);  // again, now that nobody else writes
  if (!journal) return std::unexpected(journal.error());
  Installed installed;
  while (const Run* interrupted = journal->interrupted()) {
    Run run = *interrupted;  // appending moves the journal's own
    std::ranges::move(remove_temporaries(run), std::back_inserter(report.removed));
    auto done = recover_run(*state, *journal, run, installed, options, progress);
    if (!done) return std::unexpected(done.error());
    report.runs.push_back(std::move(*done));
  }
  for (const std::string& run : needless_runs(root, *journal)) {
    if (auto gone = state->drop_originals(run); !gone) return std::unexpected(gone.error());
    report.removed.push_back(state_folder(root) + "/runs/" + run);
  }
  return report;
}

}  // namespace ungate::patch
