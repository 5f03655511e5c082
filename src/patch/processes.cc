#include "patch/processes.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>

#include "base/text.h"
#include "package/folder.h"

namespace ungate::patch {
namespace {

using Folders = std::vector<std::string>;

bool is_below(std::string_view path, const Folders& folders) {
  return std::ranges::any_of(folders,
                             [&](const std::string& f) { return package::is_within(path, f); });
}

// The target of a link, without the mark of files that were replaced meanwhile: those count above
// all.
std::string link_target(const std::string& link) {
  char buffer[PATH_MAX];
  ssize_t n = readlink(link.c_str(), buffer, sizeof buffer);
  std::string_view target(buffer, n < 0 ? 0 : static_cast<std::size_t>(n));
  constexpr std::string_view kDeleted = " (deleted)";
  if (target.ends_with(kDeleted)) target.remove_suffix(kDeleted.size());
  return std::string(target);
}

// maps: "address perms offset device inode      /path (deleted)". Files of procfs have no size:
// they are read as a stream.
std::optional<std::string> find_mapped(std::ifstream& maps, const Folders& folders) {
  std::string line;
  while (std::getline(maps, line)) {
    std::size_t slash = line.find('/');
    if (slash == line.npos) continue;
    std::string_view path = std::string_view(line).substr(slash);
    if (path.ends_with(" (deleted)")) path.remove_suffix(10);
    if (is_below(path, folders)) return std::string(path);
  }
  return std::nullopt;
}

std::optional<std::string> find_open(const std::string& process, const Folders& folders) {
  auto entries = package::list_folder(process + "/fd");
  if (!entries) return std::nullopt;
  for (const package::FolderEntry& entry : *entries) {
    std::string path = link_target(process + "/fd/" + entry.name);
    if (is_below(path, folders)) return path;
  }
  return std::nullopt;
}

std::string command_of(const std::string& process) {
  std::ifstream in(process + "/comm");
  std::string name;
  std::getline(in, name);
  return name;
}

void look_into(int pid, const std::string& process, const Folders& folders, ProcessReport& report) {
  errno = 0;
  std::ifstream maps(process + "/maps");
  maps.peek();
  if (!maps.good() && (errno == EACCES || errno == EPERM)) {
    ++report.unreadable;
    return;
  }
  auto add = [&](ProcessUse::How how, std::string path) {
    report.uses.push_back({pid, command_of(process), how, std::move(path)});
  };
  if (auto path = find_mapped(maps, folders)) return add(ProcessUse::How::mapped, *path);
  if (std::string cwd = link_target(process + "/cwd"); is_below(cwd, folders)) {
    return add(ProcessUse::How::working_folder, cwd);
  }
  if (auto path = find_open(process, folders)) add(ProcessUse::How::open_file, *path);
}

}  // namespace

ProcessReport find_processes(const std::vector<std::string>& folders, const std::string& proc) {
  ProcessReport report;
  auto entries = package::list_folder(proc);
  if (!entries) return report;
  for (const package::FolderEntry& entry : *entries) {
    std::int64_t pid = 0;
    if (!text::parse_int(entry.name, pid) || pid == getpid()) continue;
    look_into(static_cast<int>(pid), package::join_path(proc, entry.name), folders, report);
  }
  std::ranges::sort(report.uses, {}, &ProcessUse::pid);
  return report;
}

}  // namespace ungate::patch
