#include "package/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace ungate::package {
namespace {

constexpr std::size_t kBlock = 256 * 1024;

struct Close {
  void operator()(archive* a) const { archive_read_free(a); }
};
using Handle = std::unique_ptr<archive, Close>;

Handle make_reader() {
  Handle a(archive_read_new());
  archive_read_support_filter_all(a.get());
  archive_read_support_format_zip(a.get());
  archive_read_support_format_tar(a.get());
  return a;
}

std::string message_of(archive* a) {
  const char* text = archive_error_string(a);
  return text == nullptr ? "damaged" : text;
}

// The path without "." and doubled slashes; nothing if it is absolute or climbs.
std::optional<std::string> contained(std::string_view path) {
  if (path.starts_with('/') || path.find('\\') != path.npos || path.find('\0') != path.npos) {
    return std::nullopt;
  }
  std::string out;
  for (std::string_view part : text::split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return std::nullopt;
    if (!out.empty()) out += '/';
    out += part;
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

class Entry : public ArchiveEntry {
 public:
  Entry(archive* a, const std::string& name, const ArchiveLimits& limits)
      : archive_(a), name_(name), limits_(limits) {}

  void begin(std::string path, archive_entry* entry) {
    path_ = std::move(path);
    size_known_ = archive_entry_size_is_set(entry) != 0;
    size_ = size_known_ ? static_cast<std::uint64_t>(archive_entry_size(entry)) : 0;
    at_ = 0;
  }

  Result<std::string_view> next() override {
    const void* data = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    // A block may be empty before the end: where a member's bytes begin at the end of a buffer.
    while (size == 0) {
      int status = archive_read_data_block(archive_, &data, &size, &offset);
      if (status == ARCHIVE_EOF) return std::string_view();
      if (status < ARCHIVE_WARN) return bad(message_of(archive_));
    }
    if (static_cast<std::uint64_t>(offset) != at_) return bad("a sparse file is not read");
    at_ += size;
    total_ += size;
    auto stored = static_cast<std::uint64_t>(archive_filter_bytes(archive_, -1));
    if (total_ > limits_.bytes || (total_ > limits_.free && total_ / limits_.ratio > stored)) {
      return bad("it unpacks to far more than an archive of its size should; reading stops");
    }
    return std::string_view(static_cast<const char*>(data), size);
  }

  std::unexpected<Error> bad(const std::string& what) const {
    return fail(ErrorCode::malformed, path_.empty() ? what : path_ + ": " + what, name_);
  }

 private:
  archive* archive_;
  const std::string& name_;
  const ArchiveLimits& limits_;
  std::uint64_t at_ = 0, total_ = 0;
};

Status walk(archive* a, const std::string& name, const ArchiveVisitor& visit,
            std::vector<Note>& notes, const ArchiveLimits& limits) {
  Entry entry(a, name, limits);
  archive_entry* header = nullptr;
  for (std::uint64_t n = 0;; ++n) {
    int status = archive_read_next_header(a, &header);
    if (status == ARCHIVE_EOF) return {};
    if (status < ARCHIVE_WARN) return entry.bad(message_of(a));
    if (n == limits.entries) return entry.bad("it has too many entries; reading stops");
    const char* raw = archive_entry_pathname(header);
    if (raw == nullptr) raw = archive_entry_pathname_utf8(header);
    if (raw == nullptr) {
      notes.push_back({name, "an entry without a readable name is left out"});
      continue;
    }
    // Links lead to files that are listed themselves, or out of the archive.
    if (archive_entry_filetype(header) != AE_IFREG || archive_entry_hardlink(header) != nullptr)
      continue;
    auto path = contained(raw);
    if (!path) {
      notes.push_back({name, fmt::format("{} is left out: it would lie outside", raw)});
      continue;
    }
    entry.begin(std::move(*path), header);
    if (auto s = visit(entry); !s) return s;
  }
}

// An archive inside another one.
la_ssize_t read_outer(archive* a, void* data, const void** buffer) {
  auto* entry = static_cast<ArchiveEntry*>(data);
  auto bytes = entry->next();
  if (!bytes) {
    archive_set_error(a, EIO, "%s", bytes.error().what.c_str());
    return -1;
  }
  *buffer = bytes->data();
  return static_cast<la_ssize_t>(bytes->size());
}

}  // namespace

bool is_archive_name(std::string_view name) {
  constexpr std::array<std::string_view, 9> kEnds = {
      ".whl", ".zip", ".tar", ".tgz", ".tar.gz", ".tar.zst", ".tar.xz", ".tar.bz2", ".txz"};
  for (std::string_view end : kEnds) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

Status read_archive(const std::string& path, const ArchiveVisitor& visit, std::vector<Note>& notes,
                    const ArchiveLimits& limits) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return fail(errno == ENOENT ? ErrorCode::no_such_path : ErrorCode::unreadable,
                std::strerror(errno), path);
  }
  if (!S_ISREG(info.st_mode)) return fail(ErrorCode::unreadable, "not a regular file", path);
  Handle a = make_reader();
  if (archive_read_open_filename(a.get(), path.c_str(), kBlock) != ARCHIVE_OK) {
    return fail(ErrorCode::malformed, message_of(a.get()), path);
  }
  return walk(a.get(), path, visit, notes, limits);
}

Status read_archive(ArchiveEntry& entry, const std::string& name, const ArchiveVisitor& visit,
                    std::vector<Note>& notes, const ArchiveLimits& limits) {
  Handle a = make_reader();
  if (archive_read_open(a.get(), &entry, nullptr, read_outer, nullptr) != ARCHIVE_OK) {
    return fail(ErrorCode::malformed, message_of(a.get()), name);
  }
  return walk(a.get(), name, visit, notes, limits);
}

}  // namespace ungate::package
