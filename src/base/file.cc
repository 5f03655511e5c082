#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ungate {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

std::int64_t nanoseconds(const timespec& t) { return t.tv_sec * 1'000'000'000LL + t.tv_nsec; }

}  // namespace

Error os_error(std::string_view doing, const std::string& path, int number) {
  ErrorCode code = ErrorCode::write_failed;
  switch (number) {
    case ENOSPC: case EDQUOT: code = ErrorCode::no_space; break;
    case EROFS: case EACCES: case EPERM: code = ErrorCode::read_only; break;
    case ENOENT: case ENOTDIR: code = ErrorCode::no_such_path; break;
    default: break;
  }
  return {code, std::string(doing) + " failed: " + std::strerror(number), path, {}};
}

Result<FileText> read_file(const std::string& path, std::uint64_t limit) {
  auto refuse = [&](const char* why) { return fail(ErrorCode::unreadable, why, path); };
  // O_NONBLOCK: opening a pipe that nobody writes to must not hang.
  Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return fail(ErrorCode::no_such_path, "no such file", path);
    return fail(ErrorCode::unreadable, std::string("cannot be read: ") + std::strerror(errno), path);
  }
  struct stat info;
  if (fstat(file.fd, &info) != 0) return refuse(std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return refuse("not a regular file");
  auto size = static_cast<std::uint64_t>(info.st_size);
  if (size > limit) {
    return fail(ErrorCode::unreadable,
                "is larger than " + std::to_string(limit >> 20) + " MB, and so is not read", path,
                "such files hold data; no gate is looked for in them");
  }

  FileText text;
  text.stamp = {info.st_dev, info.st_ino, size, nanoseconds(info.st_mtim), nanoseconds(info.st_ctim)};
  int error = 0;
  text.bytes.resize_and_overwrite(size, [&](char* bytes, std::size_t) {
    std::size_t done = 0;
    while (done < size) {
      ssize_t n = read(file.fd, bytes + done, size - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) error = errno;
      if (n <= 0) break;  // 0: the file shrank while it was read
      done += static_cast<std::size_t>(n);
    }
    return done;
  });
  if (error != 0) return refuse(std::strerror(error));
  return text;
}

Result<FileText> read_file_or_empty(const std::string& path) {
  auto text = read_file(path);
  if (!text && text.error().code == ErrorCode::no_such_path) return FileText{};
  return text;
}

}  // namespace ungate
