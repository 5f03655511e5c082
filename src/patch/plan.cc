#include "patch/plan.h"

#include <algorithm>

#include "base/hash.h"
#include "package/folder.h"
#include "patch/disk.h"

namespace ungate::patch {

Result<FileChange> make_change(std::string site, std::string path, std::string before,
                               std::vector<source::Edit> edits, std::vector<std::string> steps) {
  auto after = source::apply_edits(before, edits, path);
  if (!after) return std::unexpected(after.error());
  FileChange change;
  change.site = std::move(site);
  change.path = std::move(path);
  change.before_sha256 = sha256_hex(before);
  change.after_sha256 = sha256_hex(*after);
  change.edits = std::move(edits);
  change.steps = std::move(steps);
  change.before = std::move(before);
  change.after = std::move(*after);
  return change;
}

Status load_bytes(Plan& plan) {
  for (FileChange& change : plan.files) {
    auto target = open_target(change.site, change.path);
    if (!target) return std::unexpected(target.error());
    auto current = read_target(*target);
    if (!current) return std::unexpected(current.error());
    if (!*current) {
      return fail(ErrorCode::drift, "is not there any more", target->path, "plan again");
    }
    std::string& bytes = (*current)->bytes;
    if ((*current)->sha256 == change.after_sha256) {
      change.before = change.after = std::move(bytes);
      continue;
    }
    if ((*current)->sha256 != change.before_sha256) {
      return fail(ErrorCode::drift, "is not the file that the plan was made for", target->path,
                  "plan again");
    }
    auto after = source::apply_edits(bytes, change.edits, target->path);
    if (!after) return std::unexpected(after.error());
    change.before = std::move(bytes);
    change.after = std::move(*after);
  }
  return {};
}

PlanDiff diff(const Plan& plan) {
  PlanDiff out;
  bool one_site = std::ranges::all_of(
      plan.files, [&](const FileChange& c) { return c.site == plan.files[0].site; });
  out.folder = one_site && !plan.files.empty() ? plan.files[0].site : plan.root;
  for (const FileChange& change : plan.files) {
    std::string path = package::join_path(change.site, change.path).substr(out.folder.size() + 1);
    // patch(1) takes a name with blanks only if a tab ends it.
    if (path.find(' ') != path.npos) path += '\t';
    out.text += source::unified_diff(change.before, change.after, path);
  }
  return out;
}

}  // namespace ungate::patch
