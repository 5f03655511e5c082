#include "binary/bytes.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ungate::binary {
namespace {

class File : public ByteSource {
 public:
  File(std::string path, std::uint64_t size, int fd) : ByteSource(std::move(path), size), fd_(fd) {}
  ~File() override { close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Result<std::string_view> some(std::uint64_t offset, std::span<char> into) const override {
    std::size_t done = 0;
    while (done < into.size()) {
      ssize_t n =
          pread(fd_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return fail(ErrorCode::unreadable, std::strerror(errno), name());
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return std::string_view(into.data(), done);
  }

 private:
  int fd_;
};

}  // namespace

Status ByteSource::read(std::uint64_t offset, std::uint64_t count, std::string& into) const {
  if (offset > size_ || count > size_ - offset) {
    return bad(offset, fmt::format("the file ends at {:#x}, inside {} bytes that belong here",
                                   size_, count));
  }
  into.resize(count);
  auto got = some(offset, into);
  if (!got) return std::unexpected(got.error());
  if (got->size() != count) return bad(offset, "the file became shorter while it was read");
  return {};
}

std::unexpected<Error> ByteSource::bad(std::uint64_t offset, std::string what) const {
  return fail(ErrorCode::malformed, fmt::format("at {:#x}: {}", offset, what), name_);
}

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) {
  // O_NONBLOCK: opening a pipe that nobody writes to must not hang.
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    ErrorCode code =
        errno == ENOENT || errno == ENOTDIR ? ErrorCode::no_such_path : ErrorCode::unreadable;
    return fail(code, std::strerror(errno), path);
  }
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd);
    return fail(ErrorCode::unreadable, "not a regular file", path);
  }
  return std::make_unique<File>(path, static_cast<std::uint64_t>(info.st_size), fd);
}

Result<std::string_view> Memory::some(std::uint64_t offset, std::span<char> into) const {
  if (offset >= bytes_.size()) return std::string_view();
  std::string_view part = bytes_.substr(offset, into.size());
  std::ranges::copy(part, into.begin());
  return std::string_view(into.data(), part.size());
}

Result<std::string_view> Slice::some(std::uint64_t offset, std::span<char> into) const {
  if (offset >= size()) return std::string_view();
  std::uint64_t count = std::min<std::uint64_t>(into.size(), size() - offset);
  return whole_.some(offset_ + offset, into.first(count));
}

}  // namespace ungate::binary
