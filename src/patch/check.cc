#include "patch/check.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "package/folder.h"
#include "package/prefix.h"
#include "package/site.h"
#include "patch/disk.h"

namespace ungate::patch {
namespace {

std::unexpected<Error> refuse(std::string what, const std::string& where, std::string next = {}) {
  return fail(ErrorCode::refused, std::move(what), where, std::move(next));
}

bool stays_below(const std::string& path) {
  return std::ranges::all_of(text::split(path, '/'), [](std::string_view name) {
    return !name.empty() && name != "." && name != "..";
  });
}

// Journals and plans are JSON; a name that is not UTF-8 would be read back as another one.
bool is_utf8(const std::string& s) {
  JsonWriter w;
  return w.string(s).text().find("\xef\xbf\xbd") == std::string::npos;
}

Status check_place(const Plan& plan, const std::string& site, const std::string& path) {
  std::string where = site + '/' + path;
  if (!stays_below(path)) return refuse("is no path below its site", where);
  if (!is_utf8(where)) return refuse("has a name that is not UTF-8", where);
  std::string root = package::state_root(site);
  // Sources that are not installed may have several sites below their one root.
  bool ours =
      package::is_environment(root) ? root == plan.root : package::is_within(site, plan.root);
  if (ours) return {};
  return refuse(fmt::format("does not belong to {}", plan.root), where,
                "make a plan for each environment");
}

// True if a run that stands wrote exactly these bytes.
bool is_ours(const Journal& journal, const FileChange& change, const std::string& sha256) {
  return std::ranges::any_of(journal.runs(), [&](const Run& run) {
    return run.stands() && std::ranges::any_of(run.files, [&](const RunFile& f) {
             return f.site == change.site && f.path == change.path && f.after_sha256 == sha256;
           });
  });
}

Status check_record(const FileChange& change, const std::string& sha256, const std::string& where,
                    const Journal& journal, Installed& installed) {
  InstalledFile file = installed.file(change.site, change.path);
  if (file.record_sha256.empty() || file.record_sha256 == sha256) return {};
  if (is_ours(journal, change, sha256)) return {};
  return refuse(fmt::format("was edited since {} {} was installed (it differs from RECORD)",
                            file.package, file.version),
                where, "reinstall the package, or use --force to edit the file as it is");
}

Status check_edits(const FileChange& change, const std::string& bytes, const std::string& where) {
  auto after = source::apply_edits(bytes, change.edits, where);
  if (!after) return std::unexpected(after.error());
  if (sha256_hex(*after) != change.after_sha256) {
    return refuse("the plan's edits do not give the bytes it promises", where);
  }
  return {};
}

enum class Answer { pending, unchanged };

Result<Answer> check_file(const Plan& plan, const FileChange& change, const Journal& journal,
                          Installed& installed, bool force) {
  if (auto placed = check_place(plan, change.site, change.path); !placed) {
    return std::unexpected(placed.error());
  }
  auto target = open_target(change.site, change.path);
  if (!target) return std::unexpected(target.error());
  auto current = read_target(*target);
  if (!current) return std::unexpected(current.error());
  if (!*current) return fail(ErrorCode::drift, "is not there any more", target->path, "plan again");
  const std::string& sha256 = (*current)->sha256;
  if (sha256 == change.after_sha256) return Answer::unchanged;
  if (sha256 != change.before_sha256) {
    return fail(ErrorCode::drift, "changed since it was planned", target->path, "plan again");
  }
  if (auto fits = check_edits(change, (*current)->bytes, target->path); !fits) {
    return std::unexpected(fits.error());
  }
  if (!force) {
    if (std::string git = git_checkout_of(change.site, change.path); !git.empty()) {
      return refuse(fmt::format("lies in the git checkout {}", git), target->path,
                    "commit the change there yourself (`ungate plan` prints it), or use --force");
    }
    auto recorded = check_record(change, sha256, target->path, journal, installed);
    if (!recorded) return std::unexpected(recorded.error());
  }
  if (auto writable = check_writable(*target); !writable) return std::unexpected(writable.error());
  return Answer::pending;
}

Status check_reliance(const Plan& plan, const Reliance& reliance) {
  if (auto placed = check_place(plan, reliance.site, reliance.path); !placed) return placed;
  auto target = open_target(reliance.site, reliance.path);
  if (!target) return std::unexpected(target.error());
  auto current = read_target(*target);
  if (!current) return std::unexpected(current.error());
  if (*current && (*current)->sha256 == reliance.sha256) return {};
  return fail(ErrorCode::drift, "changed since it was planned, and the edits rely on it",
              target->path, "plan again");
}

}  // namespace

Checked check(const Plan& plan, const Journal& journal, Installed& installed, bool force) {
  Checked checked;
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    const FileChange& change = plan.files[i];
    if (!seen.emplace(change.site, change.path).second) {
      checked.refusals.push_back(
          refuse("is named twice in the plan", change.site + '/' + change.path).error());
      continue;
    }
    auto answer = check_file(plan, change, journal, installed, force);
    if (!answer) {
      checked.refusals.push_back(answer.error());
    } else {
      (*answer == Answer::pending ? checked.pending : checked.unchanged).push_back(i);
    }
  }
  for (const Reliance& reliance : plan.relies_on) {
    if (auto held = check_reliance(plan, reliance); !held) checked.refusals.push_back(held.error());
  }
  return checked;
}

Result<Checked> check(const Plan& plan, bool force) {
  auto journal = Journal::read(plan.root);
  if (!journal) return std::unexpected(journal.error());
  Installed installed;
  return check(plan, *journal, installed, force);
}

std::string git_checkout_of(const std::string& site, const std::string& path) {
  for (std::string folder = package::parent_of(site + '/' + path);;
       folder = package::parent_of(folder)) {
    if (package::exists(folder + "/.git")) return folder;
    if (package::is_environment(folder) || package::is_installed_site(folder) || folder == "/") {
      return {};
    }
  }
}

Error combined(const std::vector<Error>& errors) {
  Error first = errors.front();
  if (errors.size() > 1) {
    first.what += fmt::format("; and {} more", text::count(errors.size() - 1, "refusal"));
  }
  return first;
}

}  // namespace ungate::patch
