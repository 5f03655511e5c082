#include "package/folder.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/text.h"

namespace ungate::package {
namespace {

namespace fs = std::filesystem;

Error path_error(const std::string& path, int number) {
  if (number == ENOENT || number == ENOTDIR) {
    return {ErrorCode::no_such_path, "no such file or folder", path, {}};
  }
  if (number == ELOOP) {
    return {ErrorCode::unreadable, "cannot be read: symbolic links form a loop", path,
            "`readlink -f` shows where the link leads"};
  }
  return {ErrorCode::unreadable, std::string("cannot be read: ") + std::strerror(number), path, {}};
}

}  // namespace

Result<std::vector<FolderEntry>> list_folder(const std::string& path) {
  std::error_code error;
  fs::directory_iterator it(path, error);
  if (error) return std::unexpected(path_error(path, error.value()));
  std::vector<FolderEntry> entries;
  for (; it != fs::directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    entries.push_back(
        {it->path().filename().string(), it->is_directory(ignored), it->is_symlink(ignored)});
    if (error) break;
  }
  if (error) return std::unexpected(path_error(path, error.value()));
  std::ranges::sort(entries, {}, &FolderEntry::name);
  return entries;
}

bool is_folder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool is_file(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

std::string parent_of(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  std::size_t at = path.rfind('/');
  if (at == std::string_view::npos) return ".";
  return std::string(at == 0 ? "/" : path.substr(0, at));
}

std::string name_of_path(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  std::size_t at = path.rfind('/');
  return std::string(at == std::string_view::npos ? path : path.substr(at + 1));
}

std::string join_path(std::string_view folder, std::string_view name) {
  std::string out(folder);
  if (!out.empty() && out.back() != '/') out += '/';
  return out += name;
}

std::string absolute(std::string_view path, std::string_view working_folder) {
  std::string whole(path);
  if (!path.starts_with('/')) whole = join_path(working_folder, path);
  std::string out;
  bool climbs = false;
  for (std::string_view part : text::split(whole, '/')) {
    if (part.empty() || part == ".") continue;
    climbs |= part == "..";
    (out += '/') += part;
  }
  if (out.empty()) out = "/";
  if (!climbs) return out;
  auto resolved = resolve(out);
  return resolved ? *resolved : fs::path(out).lexically_normal().string();
}

Result<std::string> resolve(const std::string& path) {
  char* found = realpath(path.c_str(), nullptr);
  if (found == nullptr) return std::unexpected(path_error(path, errno));
  std::string out(found);
  free(found);
  return out;
}

bool is_within(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace ungate::package
