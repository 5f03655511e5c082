#include "patch/tree_walk.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "base/text.h"
#include "patch/steps.h"

namespace ungate::patch {

Descriptor open_below(int parent, const std::string& name) {
  return Descriptor(openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

Descriptor open_path_below(int parent, std::string_view path) {
  Descriptor at(openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (std::string_view name : text::split(path, '/')) {
    if (!at) break;
    at = open_below(at.get(), std::string(name));
  }
  return at;
}

std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return names;
  DIR* stream = fdopendir(copy);
  if (stream == nullptr) {
    close(copy);
    return names;
  }
  while (dirent* entry = readdir(stream)) {
    std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(stream);
  std::ranges::sort(names);
  return names;
}

bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = pattern.npos, retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

void visit_files(int folder, const std::string& below,
                 const std::function<void(const std::string&, const struct stat&)>& visit) {
  for (const std::string& name : names_in(folder)) {
    struct stat info;
    if (fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    std::string path = below.empty() ? name : below + '/' + name;
    if (!S_ISDIR(info.st_mode)) {
      visit(path, info);
    } else if (Descriptor inner = open_below(folder, name)) {
      visit_files(inner.get(), path, visit);
    }
  }
}

Status remove_below(int parent, const std::string& name, const std::string& path) {
  auto failed = [&] { return std::unexpected(os_error("removing", path, errno)); };
  struct stat info;
  if (fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? Status() : Status(failed());
  }
  if (!S_ISDIR(info.st_mode)) {
    if (!step("remove", path) || (unlinkat(parent, name.c_str(), 0) != 0 && errno != ENOENT)) {
      return failed();
    }
    return {};
  }
  Descriptor folder = open_below(parent, name);
  if (!folder) return failed();
  for (const std::string& inner : names_in(folder.get())) {
    if (auto done = remove_below(folder.get(), inner, path + '/' + inner); !done) return done;
  }
  if (!step("remove", path) || unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0) return failed();
  return {};
}

}  // namespace ungate::patch
