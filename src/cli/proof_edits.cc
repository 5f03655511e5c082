#include "cli/proof_edits.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "patch/revert.h"
#include "patch/state_folder.h"
#include "rules/diff_file.h"

namespace ungate::cli {
namespace {

constexpr std::uint64_t kLargest = 64u << 20;

void list_files(ProofEdits& edits) {
  std::set<std::string> files;
  for (const auto* texts : {&edits.before, &edits.after}) {
    for (const auto& [path, text] : *texts) files.insert(path);
  }
  edits.files.assign(files.begin(), files.end());
}

}  // namespace

Result<std::string> text_of(const package::Environment& environment, const std::string& path) {
  std::error_code ec;
  for (const package::Site& site : environment.sites) {
    std::string full = site.path + '/' + path;
    if (!std::filesystem::is_regular_file(full, ec)) continue;
    auto text = read_file(full, kLargest);
    if (!text) return std::unexpected(text.error());
    return std::move(text->bytes);
  }
  return fail(ErrorCode::no_such_path, "no such file in this environment", path);
}

Result<ProofEdits> edits_of_run(const package::Environment& environment, const std::string& id) {
  for (const std::string& root : roots_of(environment)) {
    auto journal = patch::Journal::read(root);
    if (!journal) return std::unexpected(journal.error());
    auto runs = patch::standing_runs(*journal, {id});
    if (!runs || runs->empty()) continue;
    const patch::Run& run = runs->front();
    ProofEdits out;
    out.subject = "run " + run.id;
    out.steps = run.steps;
    for (const patch::RunFile& file : run.files) {
      std::string kept = patch::state_folder(root) + "/runs/" + run.id + '/' + file.before_sha256;
      auto bytes = read_file(kept, kLargest);
      if (!bytes) return std::unexpected(bytes.error());
      if (sha256_hex(bytes->bytes) != file.before_sha256)
        return fail(ErrorCode::drift, "the original bytes that were kept have changed", kept);
      out.before[file.path] = std::move(bytes->bytes);
    }
    list_files(out);
    return out;
  }
  return fail(ErrorCode::not_found, "'" + id + "' names no run that stands", {}, "`ungate status` lists the runs");
}

Result<ProofEdits> edits_of_diff(const package::Environment& environment, const std::string& file) {
  auto text = read_file(file, kLargest);
  if (!text) return std::unexpected(text.error());
  auto edits = rules::read_diff(text->bytes, file);
  if (!edits) return std::unexpected(edits.error());
  ProofEdits out;
  out.subject = "diff " + file;
  for (const patch::TextEdit& edit : *edits) {
    auto known = out.after.find(edit.path);
    if (known == out.after.end()) {
      auto original = text_of(environment, edit.path);
      if (!original) return std::unexpected(original.error());
      known = out.after.emplace(edit.path, std::move(*original)).first;
    }
    std::string& bytes = known->second;
    std::size_t at = bytes.find(edit.replace);
    if (at == bytes.npos || bytes.find(edit.replace, at + 1) != bytes.npos) {
      return fail(ErrorCode::does_not_fit, at == bytes.npos ? "a hunk fits nowhere" : "a hunk fits at several places", edit.path,
                  "make the diff anew from these files, with more context");
    }
    bytes.replace(at, edit.replace.size(), edit.with);
  }
  list_files(out);
  return out;
}

Result<ProofEdits> edits_of_plan(const package::Environment& environment, const std::string& file) {
  auto text = read_file(file, kLargest);
  if (!text) return std::unexpected(text.error());
  std::vector<std::string> roots = roots_of(environment);
  auto plans = patch::plans_from_json(text->bytes, file);
  if (!plans) return std::unexpected(plans.error());
  ProofEdits out;
  out.subject = "plan " + file;
  for (patch::Plan& plan : *plans) {
    if (std::ranges::find(roots, plan.root) == roots.end())
      return fail(ErrorCode::usage, "the plan is for " + plan.root, file, "name that environment with --prefix");
    if (auto status = patch::load_bytes(plan); !status) return std::unexpected(status.error());
    for (patch::FileChange& change : plan.files) {
      if (change.before != change.after) out.after[change.path] = std::move(change.after);
      else out.notes.push_back(change.path + " is written already; `--run` proves what was applied");
    }
    std::ranges::move(plan.steps, std::back_inserter(out.steps));
  }
  list_files(out);
  return out;
}

Result<ProofEdits> edits_of_view(const report::PlanView& view) {
  ProofEdits out;
  std::set<std::string> subjects;
  for (const patch::SetOutcome& set : view.resolution.sets) {
    if (set.state == patch::state::applies) subjects.insert("patch set " + set.set->id);
    for (const patch::MemberOutcome& m : set.members) {
      for (const patch::StepOutcome& s : m.steps) {
        if (m.chosen) out.steps.push_back(s.record);
      }
    }
  }
  for (const patch::StepOutcome& lift : view.resolution.lifts) {
    subjects.insert("lift of " + lift.where);
    out.steps.push_back(lift.record);
  }
  out.subject = text::join({subjects.begin(), subjects.end()}, ", ");
  std::map<std::string, std::vector<source::Edit>> edits;
  std::map<std::string, std::string> originals;
  for (const patch::PlannedEdit& e : view.resolution.edits) {
    edits[e.path].push_back(e.edit);
    if (originals.contains(e.path)) continue;
    auto text = read_file(view.environment->sites[e.site].path + '/' + e.path, kLargest);
    if (!text) return std::unexpected(text.error());
    originals[e.path] = std::move(text->bytes);
  }
  for (auto& [path, list] : edits) {
    auto edited = source::apply_edits(originals[path], list, path);
    if (!edited) return std::unexpected(edited.error());
    out.after[path] = std::move(*edited);
  }
  for (const Error& e : view.refusals) {
    out.notes.push_back("apply would refuse: " + (e.where.empty() ? "" : e.where + ": ") + e.what);
  }
  list_files(out);
  return out;
}

}  // namespace ungate::cli
