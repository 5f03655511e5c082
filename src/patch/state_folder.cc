#include "patch/state_folder.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>

#include <fmt/core.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "patch/disk.h"
#include "patch/steps.h"
#include "patch/tree_walk.h"

namespace ungate::patch {
namespace {

constexpr std::string_view kEdited = "edited-";

std::string lock_file(const std::string& root) { return state_folder(root) + "/lock"; }
std::string runs_folder(const std::string& root) { return state_folder(root) + "/runs"; }

Descriptor open_runs(const std::string& root) {
  return Descriptor(
      open(runs_folder(root).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

int process_in(const std::string& file) {
  auto text = read_file(file, 64);
  std::int64_t pid = 0;
  if (text && text::parse_int(text::trim(text->bytes), pid)) return static_cast<int>(pid);
  return 0;
}

}  // namespace

std::string state_folder(const std::string& root) { return (root == "/" ? "" : root) + "/.ungate"; }

std::optional<int> writer_of(const std::string& root) {
  Descriptor file(open(lock_file(root).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file || flock(file.get(), LOCK_SH | LOCK_NB) == 0) return std::nullopt;
  return process_in(lock_file(root));
}

Result<StateFolder> StateFolder::lock(const std::string& root) {
  if (auto made = make_folder(state_folder(root)); !made) return std::unexpected(made.error());
  std::string path = lock_file(root);
  if (!step("lock", path)) return std::unexpected(os_error("locking", path, errno));
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file) return std::unexpected(os_error("locking", path, errno));
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return std::unexpected(os_error("locking", path, errno));
    return fail(ErrorCode::locked,
                fmt::format("another ungate (process {}) is writing here", process_in(path)), root);
  }
  // The id is only for the message above; the lock itself is the kernel's and ends with the
  // process.
  std::string pid = std::to_string(getpid()) + '\n';
  if (ftruncate(file.get(), 0) != 0 || pwrite(file.get(), pid.data(), pid.size(), 0) < 0) {
    return std::unexpected(os_error("locking", path, errno));
  }
  return StateFolder(root, std::move(file));
}

std::string StateFolder::run_folder(const std::string& run) const {
  return runs_folder(root_) + '/' + run;
}

Status StateFolder::keep_edited(const std::string& run, const std::string& sha256,
                                std::string_view bytes) {
  return keep_original(run, std::string(kEdited) + sha256, bytes);
}

Status StateFolder::keep_original(const std::string& run, const std::string& sha256,
                                  std::string_view bytes) {
  if (auto made = make_folder(runs_folder(root_)); !made) return made;
  if (auto made = make_folder(run_folder(run)); !made) return made;
  return write_new_file(run_folder(run), sha256, bytes);
}

Result<std::string> StateFolder::original(const std::string& run, const std::string& sha256) const {
  std::string path = run_folder(run) + '/' + sha256;
  auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  if (sha256_hex(text->bytes) != sha256) {
    return fail(ErrorCode::drift, "the original bytes that were kept are damaged", path,
                "reinstall the package to get its own files back");
  }
  return std::move(text->bytes);
}

Status StateFolder::drop_originals(const std::string& run) {
  Descriptor runs = open_runs(root_);
  Descriptor folder = runs ? open_below(runs.get(), run) : Descriptor();
  if (!folder) return {};
  bool empty = true;
  for (const std::string& name : names_in(folder.get())) {
    if (name.starts_with(kEdited)) {
      empty = false;
      continue;
    }
    if (auto gone = remove_below(folder.get(), name, run_folder(run) + '/' + name); !gone) {
      return gone;
    }
  }
  return empty ? remove_below(runs.get(), run, run_folder(run)) : Status();
}

std::vector<std::string> kept_runs(const std::string& root) {
  Descriptor runs = open_runs(root);
  return runs ? names_in(runs.get()) : std::vector<std::string>();
}

bool has_originals(const std::string& root, const std::string& run) {
  Descriptor runs = open_runs(root);
  Descriptor folder = runs ? open_below(runs.get(), run) : Descriptor();
  if (!folder) return false;
  std::vector<std::string> names = names_in(folder.get());
  return names.empty() ||
         std::ranges::any_of(names, [](const std::string& n) { return !n.starts_with(kEdited); });
}

}  // namespace ungate::patch
