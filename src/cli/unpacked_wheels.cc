#include "cli/unpacked_wheels.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

#include "audit/walk.h"
#include "base/file.h"
#include "package/archive.h"
#include "package/folder.h"

namespace ungate::cli {
namespace {

// "pkg-1.0.data/purelib/x.py" goes to "x.py".
std::string installed_path(const std::string& path) {
  std::size_t data = path.find(".data/");
  if (data == path.npos || path.find('/') != data + 5) return path;
  for (const char* scheme : {"purelib/", "platlib/"}) {
    if (path.compare(data + 6, 8, scheme) == 0) return path.substr(data + 14);
  }
  return path;
}

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Status write(package::ArchiveEntry& entry, const std::string& path) {
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "wb"));
  if (!file) return std::unexpected(os_error("unpacking", path, errno));
  for (;;) {
    auto bytes = entry.next();
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->empty()) break;
    if (std::fwrite(bytes->data(), 1, bytes->size(), file.get()) != bytes->size())
      return std::unexpected(os_error("unpacking", path, errno));
  }
  if (std::fflush(file.get()) != 0) return std::unexpected(os_error("unpacking", path, errno));
  return {};
}

}  // namespace

Status unpack_wheels(const std::vector<std::string>& wheels, const std::string& folder,
                     const std::atomic<bool>& cancelled) {
  std::set<std::string> made;
  for (const std::string& wheel : wheels) {
    if (!package::is_file(wheel)) return fail(ErrorCode::no_such_path, "no such file", wheel, "name a wheel");
    std::vector<package::Note> notes;
    auto visit = [&](package::ArchiveEntry& entry) -> Status {
      if (cancelled) return fail(ErrorCode::interrupted, "interrupted; nothing was written");
      if (audit::kind_of(entry.path()) == audit::FileKind::library) return {};
      std::string path = folder + '/' + installed_path(entry.path());
      std::string parent = package::parent_of(path);
      std::error_code ec;
      if (made.insert(parent).second) std::filesystem::create_directories(parent, ec);
      if (ec) return std::unexpected(os_error("unpacking", parent, ec.value()));
      return write(entry, path);
    };
    if (auto status = package::read_archive(wheel, visit, notes); !status) return status;
  }
  return {};
}

}  // namespace ungate::cli
