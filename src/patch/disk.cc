#include "patch/disk.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/xattr.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fmt/core.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "patch/steps.h"

namespace ungate::patch {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr std::size_t kChunk = 16 << 10;

std::unexpected<Error> os_failure(std::string_view doing, const std::string& path) {
  return std::unexpected(os_error(doing, path, errno));
}

bool is_link(int folder, const std::string& name) {
  struct stat info;
  return fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

std::unexpected<Error> refuse_link(int folder, const std::string& name, const std::string& path) {
  std::string leads(PATH_MAX, '\0');
  ssize_t n = readlinkat(folder, name.c_str(), leads.data(), leads.size());
  leads.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return fail(
      ErrorCode::refused,
      fmt::format("is a symbolic link to {}; a write would change what others share", leads), path,
      "install the package as files (uv: --link-mode copy), or name the folder the link leads to");
}

Result<Descriptor> open_folder(int parent, const std::string& name, const std::string& path) {
  Descriptor folder(openat(parent, name.c_str(), kFolderFlags));
  if (folder) return folder;
  int number = errno;
  if (is_link(parent, name)) return refuse_link(parent, name, path);
  return std::unexpected(os_error("opening the folder", path, number));
}

Status read_all(int fd, std::string& out) {
  char buffer[1 << 16];
  for (;;) {
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n == 0) return {};
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::unexpected(Error{});
    out.append(buffer, static_cast<std::size_t>(n));
  }
}

// Attributes that cannot be set (security labels, another file system) are left out.
void copy_attributes(int from, int to) {
  ssize_t size = flistxattr(from, nullptr, 0);
  if (size <= 0) return;
  std::string names(static_cast<std::size_t>(size), '\0');
  size = flistxattr(from, names.data(), names.size());
  for (const char *name = names.data(), *end = name + std::max<ssize_t>(size, 0); name < end;
       name += std::char_traits<char>::length(name) + 1) {
    ssize_t length = fgetxattr(from, name, nullptr, 0);
    if (length < 0) continue;
    std::string value(static_cast<std::size_t>(length), '\0');
    length = fgetxattr(from, name, value.data(), value.size());
    if (length >= 0) fsetxattr(to, name, value.data(), static_cast<std::size_t>(length), 0);
  }
}

bool is_later(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

// Gives the new file a time after the old one's even if that lies in the future.
bool make_newer(int fd, const timespec& old_time) {
  struct stat info;
  if (fstat(fd, &info) != 0) return false;
  if (is_later(info.st_mtim, old_time)) return true;
  timespec times[2] = {{0, UTIME_OMIT}, {old_time.tv_sec + 1, old_time.tv_nsec}};
  return futimens(fd, times) == 0;
}

bool copy_owner(const struct stat& info, int to) {
  struct stat now;
  if (fstat(to, &now) != 0) return false;
  if (now.st_uid == info.st_uid && now.st_gid == info.st_gid) return true;
  if (fchown(to, info.st_uid, info.st_gid) == 0) return true;
  // Not allowed to give files away: keep at least the group, which shared installs rely on.
  return fchown(to, static_cast<uid_t>(-1), info.st_gid) == 0 && now.st_uid == info.st_uid;
}

bool unchanged_since(const Target& target, const struct stat& then) {
  struct stat now;
  return fstatat(target.folder.get(), target.name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 &&
         now.st_ino == then.st_ino && now.st_dev == then.st_dev && now.st_size == then.st_size &&
         !is_later(now.st_mtim, then.st_mtim) && !is_later(now.st_ctim, then.st_ctim);
}

std::unexpected<Error> changed_meanwhile(const std::string& path) {
  return fail(ErrorCode::drift, "changed since it was read", path, "plan again");
}

// Writes the temporary file completely; the caller removes it if this fails.
Result<Replaced> fill_temporary(int fd, std::string_view bytes, const Target& target,
                                const struct stat& old) {
  if (auto done = write_all(fd, bytes, target.path); !done) return std::unexpected(done.error());
  Replaced replaced;
  if (!step("attributes", target.path)) return os_failure("keeping the attributes", target.path);
  Descriptor original(
      openat(target.folder.get(), target.name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (original) copy_attributes(original.get(), fd);
  replaced.owner_kept = copy_owner(old, fd);
  if (fchmod(fd, old.st_mode & 07777) != 0) return os_failure("setting the mode", target.path);
  if (!make_newer(fd, old.st_mtim)) return os_failure("setting the time", target.path);
  if (!step("sync", target.path) || fsync(fd) != 0) return os_failure("writing", target.path);
  return replaced;
}

Status rename_over(const Target& target, const std::string& temporary, const struct stat& old) {
  if (!unchanged_since(target, old)) return changed_meanwhile(target.path);
  int folder = target.folder.get();
  if (!step("rename", target.path) ||
      renameat(folder, temporary.c_str(), folder, target.name.c_str()) != 0) {
    return os_failure("replacing", target.path);
  }
  if (!step("sync folder", target.path) || fsync(folder) != 0) {
    return os_failure("syncing", target.path);
  }
  return {};
}

}  // namespace

Result<Target> open_target(const std::string& site, const std::string& path) {
  Target target{{}, {}, site + '/' + path};
  auto folder = open_folder(AT_FDCWD, site, site);
  std::string so_far = site;
  for (std::string_view rest = path; folder;) {
    std::size_t slash = rest.find('/');
    if (slash == rest.npos) {
      target.name = rest;
      break;
    }
    std::string name(rest.substr(0, slash));
    so_far += '/' + name;
    rest.remove_prefix(slash + 1);
    folder = open_folder(folder->get(), name, so_far);
  }
  if (!folder) return std::unexpected(folder.error());
  target.folder = std::move(*folder);
  if (is_link(target.folder.get(), target.name)) {
    return refuse_link(target.folder.get(), target.name, target.path);
  }
  return target;
}

Result<std::optional<Current>> read_target(const Target& target) {
  Descriptor file(openat(target.folder.get(), target.name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file) return fail(ErrorCode::unreadable, "cannot be read", target.path);
  Current current;
  if (fstat(file.get(), &current.info) != 0 || !S_ISREG(current.info.st_mode)) {
    return fail(ErrorCode::refused, "is not a regular file", target.path);
  }
  if (!read_all(file.get(), current.bytes)) {
    return fail(ErrorCode::unreadable, "cannot be read", target.path);
  }
  current.sha256 = sha256_hex(current.bytes);
  return current;
}

Status check_writable(const Target& target) {
  if (faccessat(target.folder.get(), ".", W_OK | X_OK, AT_EACCESS) == 0) return {};
  Error error = os_error("writing", target.path, errno);
  error.code = ErrorCode::read_only;
  return std::unexpected(error);
}

Result<Replaced> replace_file(const Target& target, std::string_view bytes,
                              const std::string& expected_sha256, const std::string& temporary) {
  auto current = read_target(target);
  if (!current) return std::unexpected(current.error());
  if (!*current || (*current)->sha256 != expected_sha256) return changed_meanwhile(target.path);
  const struct stat& old = (*current)->info;
  int folder = target.folder.get();
  if (!step("create", target.path)) return os_failure("writing", target.path);
  unlinkat(folder, temporary.c_str(), 0);  // of a killed attempt
  Descriptor file(openat(folder, temporary.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return os_failure("writing", target.path);
  auto replaced = fill_temporary(file.get(), bytes, target, old);
  if (replaced) {
    if (auto renamed = rename_over(target, temporary, old); !renamed) {
      replaced = std::unexpected(renamed.error());
    }
  }
  if (!replaced) unlinkat(folder, temporary.c_str(), 0);
  return replaced;
}

bool remove_temporary(const Target& target, const std::string& temporary) {
  return step("remove", target.path) && unlinkat(target.folder.get(), temporary.c_str(), 0) == 0;
}

Status write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    if (!step("write", path)) return os_failure("writing", path);
    ssize_t n = write(fd, bytes.data(), std::min(bytes.size(), kChunk));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return os_failure("writing", path);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Status sync_folder(const std::string& path) {
  Descriptor folder(open(path.c_str(), kFolderFlags));
  if (!folder || !step("sync folder", path) || fsync(folder.get()) != 0) {
    return os_failure("syncing", path);
  }
  return {};
}

Status write_new_file(const std::string& folder, const std::string& name, std::string_view bytes) {
  std::string path = folder + '/' + name;
  if (!step("create", path)) return os_failure("writing", path);
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file) return os_failure("writing", path);
  if (auto done = write_all(file.get(), bytes, path); !done) return done;
  if (!step("sync", path) || fsync(file.get()) != 0) return os_failure("writing", path);
  return sync_folder(folder);
}

Status make_folder(const std::string& path) {
  if (!step("mkdir", path)) return os_failure("creating", path);
  if (mkdir(path.c_str(), 0755) != 0) {
    if (errno != EEXIST) return os_failure("creating", path);
    auto there = open_folder(AT_FDCWD, path, path);
    return there ? Status() : Status(std::unexpected(there.error()));
  }
  std::size_t slash = path.rfind('/');
  return sync_folder(slash == 0 ? "/" : path.substr(0, slash));
}

}  // namespace ungate::patch
