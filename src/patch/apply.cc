#include "patch/apply.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/hash.h"
#include "base/text.h"
#include "package/folder.h"
#include "package/prefix.h"
#include "patch/check.h"
#include "patch/disk.h"
#include "patch/put_back.h"
#include "patch/recover.h"

namespace ungate::patch {
namespace {

std::string path_of(const FileChange& change) { return change.site + '/' + change.path; }

// Short, and not used before in this environment.
std::string new_run_id(const Plan& plan, const Journal& journal) {
  std::vector<std::string> kept = kept_runs(plan.root);
  std::string seed = fmt::format("{} {} {}", now_ns(), getpid(), plan.files[0].after_sha256);
  for (std::uint64_t attempt = 0;; ++attempt) {
    std::string id = hex(hash64(seed, attempt), 4);
    if (journal.find(id) == nullptr && std::ranges::find(kept, id) == kept.end()) return id;
  }
}

class Application {
 public:
  Application(const Plan& plan, const ApplyOptions& options, Progress& progress, StateFolder state,
              Journal journal)
      : plan_(plan),
        options_(options),
        progress_(progress),
        state_(std::move(state)),
        journal_(std::move(journal)) {}

  Result<ApplyReport> run() {
    Checked checked = check(plan_, journal_, installed_, options_.force);
    if (!checked.refusals.empty()) return std::unexpected(combined(checked.refusals));
    for (std::size_t i : checked.unchanged) report_.unchanged.push_back(path_of(plan_.files[i]));
    if (checked.pending.empty()) return report_;
    describe_run(checked);
    if (auto kept = keep_originals(); !kept) {
      (void)state_.drop_originals(run_.id);
      return std::unexpected(kept.error());
    }
    if (auto begun = journal_.begin(run_); !begun) {
      (void)state_.drop_originals(run_.id);
      return std::unexpected(begun.error());
    }
    auto written = write_files();
    if (written) written = finish();
    if (!written) return take_back(written.error());
    report_.run = run_.id;
    return report_;
  }

 private:
  void describe_run(const Checked& checked) {
    run_.id = new_run_id(plan_, journal_);
    run_.time = utc_time();
    run_.target = plan_.target;
    std::ranges::copy_if(plan_.steps, std::back_inserter(run_.steps),
                         [](const PlanStep& s) { return s.state == state::applies; });
    run_.relies_on = plan_.relies_on;
    // A file that another run has written already is one that this run relies on.
    for (std::size_t i : checked.unchanged) {
      const FileChange& c = plan_.files[i];
      run_.relies_on.push_back({c.site, c.path, c.after_sha256});
    }
    run_.clear_caches = options_.clear_caches.value_or(package::is_environment(plan_.root));
    run_.caches = plan_.caches;
    for (CacheRule& rule : run_.caches) add_expanded(rule);
    for (std::size_t i : checked.pending) {
      const FileChange& c = plan_.files[i];
      InstalledFile owner = installed_.file(c.site, c.path);
      run_.files.push_back(
          {c.site, c.path, owner.package, owner.version, c.before_sha256, c.after_sha256});
      changes_.push_back(&c);
    }
  }

  // A later revert may run with another HOME; the folders meant here are those of now.
  void add_expanded(CacheRule& rule) {
    for (const std::string& base : expanded_bases(rule, options_.variables)) {
      if (std::ranges::find(rule.bases, base) == rule.bases.end()) rule.bases.push_back(base);
    }
  }

  Result<std::string> bytes_of(const FileChange& change) {
    auto target = open_target(change.site, change.path);
    if (!target) return std::unexpected(target.error());
    auto current = read_target(*target);
    if (!current) return std::unexpected(current.error());
    if (!*current || (*current)->sha256 != change.before_sha256) {
      return fail(ErrorCode::drift, "changed since it was checked", target->path, "plan again");
    }
    return std::move((*current)->bytes);
  }

  Status keep_originals() {
    for (const FileChange* change : changes_) {
      auto bytes = bytes_of(*change);
      if (!bytes) return std::unexpected(bytes.error());
      if (auto kept = state_.keep_original(run_.id, change->before_sha256, *bytes); !kept) {
        return kept;
      }
    }
    return {};
  }

  Status write_files() {
    for (std::size_t n = 0; n < changes_.size(); ++n) {
      if (options_.cancel != nullptr && options_.cancel->load()) {
        return fail(ErrorCode::interrupted, "interrupted");
      }
      // The last file may open the way to what is cached: nothing old must be there by then.
      if (n + 1 == changes_.size()) clear();
      progress_.doing("writing", path_of(*changes_[n]), n + 1, changes_.size());
      if (auto done = write_file(n); !done) return done;
    }
    return {};
  }

  Status write_file(std::size_t n) {
    const FileChange& change = *changes_[n];
    auto target = open_target(change.site, change.path);
    if (!target) return std::unexpected(target.error());
    auto before = bytes_of(change);
    if (!before) return std::unexpected(before.error());
    auto after = source::apply_edits(*before, change.edits, target->path);
    if (!after) return std::unexpected(after.error());
    auto replaced = replace_file(*target, *after, change.before_sha256, temporary_name(run_, n));
    if (!replaced) return std::unexpected(replaced.error());
    if (!replaced->owner_kept) progress_.note(target->path + ": its owner could not be kept");
    return {};
  }

  void clear() {
    ByProducts now = clear_by_products_of(run_, options_.variables, progress_);
    ByProducts& all = report_.by_products;
    all.cleared = now.cleared;
    all.problems = std::move(now.problems);
    auto add = [](auto& to, auto& from) {
      for (auto& item : from) to.push_back(std::move(item));
    };
    if (!now.cleared) all.bytecode.clear(), all.caches.clear();
    add(all.bytecode, now.bytecode);
    add(all.caches, now.caches);
  }

  // Reads everything back before anybody is told that it was applied.
  Status finish() {
    for (const FileChange* change : changes_) {
      auto target = open_target(change->site, change->path);
      if (!target) return std::unexpected(target.error());
      auto current = read_target(*target);
      if (!current) return std::unexpected(current.error());
      if (!*current || (*current)->sha256 != change->after_sha256) {
        return fail(ErrorCode::drift, "does not hold the bytes that were written to it",
                    target->path);
      }
    }
    clear();
    if (auto entered = journal_.enter(run_.id, Run::State::applied); !entered) return entered;
    for (const FileChange* change : changes_) report_.written.push_back(path_of(*change));
    return {};
  }

  std::unexpected<Error> take_back(Error error) {
    auto undone =
        undo(state_, journal_, run_, installed_, error.what, options_.variables, progress_);
    if (undone) {
      error.what +=
          undone->restored.empty()
              ? "; nothing was changed"
              : fmt::format("; {} put back", text::count(undone->restored.size(),
                                                         "written file was", "written files were"));
    } else {
      error.what += fmt::format("; run {} is left unfinished: {}", run_.id, undone.error().what);
      error.next = "`ungate status` shows each file; the next apply or revert ends that run first";
    }
    return std::unexpected(error);
  }

  const Plan& plan_;
  const ApplyOptions& options_;
  Progress& progress_;
  StateFolder state_;
  Journal journal_;
  Installed installed_;
  Run run_;
  std::vector<const FileChange*> changes_;  // as run_.files
  ApplyReport report_;
};

}  // namespace

Result<ApplyReport> apply(const Plan& plan, const ApplyOptions& options, Progress& progress) {
  if (plan.empty()) return ApplyReport();
  if (!package::exists(state_folder(plan.root))) {
    // Ask before anything is created: a refused plan leaves no trace.
    auto checked = check(plan, options.force);
    if (!checked) return std::unexpected(checked.error());
    if (!checked->refusals.empty()) return std::unexpected(combined(checked->refusals));
  }
  auto state = StateFolder::lock(plan.root);
  if (!state) return std::unexpected(state.error());
  auto journal = Journal::read(plan.root);
  if (!journal) return std::unexpected(journal.error());
  if (const Run* run = journal->interrupted()) {
    return std::unexpected(interrupted_error(*run, plan.root));
  }
  return Application(plan, options, progress, std::move(*state), std::move(*journal)).run();
}

}  // namespace ungate::patch
