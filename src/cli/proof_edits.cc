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
#include "source/edit.h"

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

// Where a hunk fits: at its line, else where its text stands once.
Result<source::Edit> place(const rules::Hunk& hunk, const std::string& text) {
  const patch::TextEdit& edit = hunk.edit;
  std::vector<std::size_t> places;
  std::size_t line = 1, seen = 0;
  for (std::size_t at = text.find(edit.replace); at != text.npos; at = text.find(edit.replace, at + 1)) {
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(seen), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    seen = at;
    if (at > 0 && text[at - 1] != '\n') continue;  // whole lines
    if (line == hunk.line) places.clear();
    places.push_back(at);
    if (line == hunk.line) break;
  }
  if (places.size() == 1) {
    auto begin = static_cast<std::uint32_t>(places.front());
    return source::Edit{{begin, begin + static_cast<std::uint32_t>(edit.replace.size())}, edit.replace, edit.with};
  }
  std::string why = places.empty() ? fmt::format("the hunk of line {} fits nowhere", hunk.line)
                                   : fmt::format("the hunk of line {} fits at several places and not at that one", hunk.line);
  return fail(ErrorCode::does_not_fit, why, edit.path, "make the diff anew from these files, with more context");
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
  std::map<std::string, std::string> originals;
  std::map<std::string, std::vector<source::Edit>> changes;
  for (const rules::Hunk& hunk : *edits) {
    const std::string& path = hunk.edit.path;
    if (!originals.contains(path)) {
      auto original = text_of(environment, path);
      if (!original) return std::unexpected(original.error());
      originals[path] = std::move(*original);
    }
    auto change = place(hunk, originals[path]);
    if (!change) return std::unexpected(change.error());
    changes[path].push_back(std::move(*change));
  }
  for (auto& [path, list] : changes) {
    auto edited = source::apply_edits(originals[path], list, path);
    if (!edited) return std::unexpected(edited.error());
    out.after[path] = std::move(*edited);
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
