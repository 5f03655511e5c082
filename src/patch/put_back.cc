#include "patch/put_back.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "package/folder.h"
#include "patch/disk.h"

namespace ungate::patch {
namespace {

std::string path_of(const RunFile& file) { return file.site + '/' + file.path; }

Status restore(StateFolder& state, const Run& run, std::size_t n, const FileCondition& condition) {
  const RunFile& file = run.files[n];
  auto bytes = state.original(run.id, file.before_sha256);
  if (!bytes) return std::unexpected(bytes.error());
  auto target = open_target(file.site, file.path);
  if (!target) return std::unexpected(target.error());
  if (condition.state == FileState::foreign) {
    auto current = read_target(*target);
    if (!current) return std::unexpected(current.error());
    if (!*current) return fail(ErrorCode::drift, "is not there any more", target->path);
    auto kept = state.keep_edited(run.id, (*current)->sha256, (*current)->bytes);
    if (!kept) return kept;
  }
  auto replaced = replace_file(*target, *bytes, condition.sha256, temporary_name(run, n));
  return replaced ? Status() : Status(std::unexpected(replaced.error()));
}

template <class Each>
void each_target(const Run& run, Each&& each) {
  for (std::size_t n = 0; n < run.files.size(); ++n) {
    auto target = open_target(run.files[n].site, run.files[n].path);
    if (target) each(*target, temporary_name(run, n));
  }
}

std::string beside(const Target& target, const std::string& name) {
  return package::parent_of(target.path) + '/' + name;
}

}  // namespace

std::string temporary_name(const Run& run, std::size_t n) {
  return fmt::format(".ungate-{}-{}.tmp", run.id, n);
}

Status check_foreign(const std::vector<FileCondition>& conditions) {
  std::size_t count = 0;
  std::string first;
  for (const FileCondition& c : conditions) {
    if (c.state != FileState::foreign) continue;
    if (count++ == 0) first = c.site + '/' + c.path;
  }
  if (count == 0) return {};
  std::string what = "was edited since ungate wrote it; nothing was put back";
  if (count > 1) what += fmt::format(" ({} in all)", text::count(count, "such file"));
  return fail(ErrorCode::drift, what, first,
              "take your edit out again, or use --force to drop it (a copy is kept)");
}

Result<PutBack> put_back(StateFolder& state, const Run& run,
                         const std::vector<FileCondition>& conditions, bool force,
                         const std::atomic<bool>* cancel, Progress& progress) {
  if (!force) {
    if (auto clean = check_foreign(conditions); !clean) return std::unexpected(clean.error());
  }
  PutBack out;
  auto is_restored = [](const FileCondition& c) {
    return c.state == FileState::ours || c.state == FileState::foreign;
  };
  std::size_t number = 0,
              total = static_cast<std::size_t>(std::ranges::count_if(conditions, is_restored));
  for (std::size_t n = run.files.size(); n-- > 0;) {
    if (!is_restored(conditions[n])) {
      out.left_alone.push_back(conditions[n]);
      continue;
    }
    if (cancel != nullptr && cancel->load()) {
      return fail(ErrorCode::interrupted,
                  fmt::format("interrupted; {} of {} files were put back", number, total));
    }
    progress.doing("restoring", path_of(run.files[n]), ++number, total);
    if (auto done = restore(state, run, n, conditions[n]); !done) {
      return std::unexpected(done.error());
    }
    out.restored.push_back(path_of(run.files[n]));
  }
  std::ranges::reverse(out.restored);
  std::ranges::reverse(out.left_alone);
  return out;
}

std::vector<std::string> remove_temporaries(const Run& run) {
  std::vector<std::string> removed;
  each_target(run, [&](const Target& target, const std::string& name) {
    if (remove_temporary(target, name)) removed.push_back(beside(target, name));
  });
  return removed;
}

std::vector<std::string> find_temporaries(const Run& run) {
  std::vector<std::string> found;
  each_target(run, [&](const Target& target, const std::string& name) {
    struct stat info;
    if (fstatat(target.folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
      found.push_back(beside(target, name));
    }
  });
  return found;
}

ByProducts by_products_of(const Run& run, const Variables& variables, std::int64_t edited_ns) {
  std::vector<FileRef> files;
  for (const RunFile& file : run.files) files.push_back({file.site, file.path});
  return find_by_products(files, run.caches, variables, edited_ns);
}

ByProducts clear_by_products_of(const Run& run, const Variables& variables, Progress& progress) {
  ByProducts found = by_products_of(run, variables, now_ns());
  if (run.clear_caches) clear_by_products(found, progress);
  return found;
}

}  // namespace ungate::patch
