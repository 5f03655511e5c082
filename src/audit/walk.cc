#include "audit/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

#include "base/hash.h"
#include "base/parallel.h"

namespace ungate::audit {
namespace {

struct Folder {
  std::uint32_t root = 0;
  std::string path;  // relative to the root; empty: the root
  auto operator<=>(const Folder&) const = default;
};

bool is_left_out(std::string_view name) {
  return name == "__pycache__" || name == ".git" || name == ".hg" || name == ".svn" || name == ".ungate";
}

// Folders waiting for a thread. A walk ends when none is waiting and none is being read. A folder that has several
// names goes by its own: links wait until all that lies in folders is known, and then go one by one, in order.
class Walker {
 public:
  Walker(const std::vector<std::string>& roots, const std::vector<std::string>& globs, const std::atomic<bool>& cancelled,
         bool stamps)
      : roots_(roots), globs_(globs), cancelled_(cancelled), stamps_(stamps) {
    for (std::uint32_t i = 0; i < roots.size(); ++i) links_.insert({i, ""});
  }

  std::uint64_t stamps() const { return stamp_; }

  Walk run(unsigned threads) {
    {
      std::vector<std::jthread> others;
      for (unsigned t = 1; t < thread_count(threads); ++t) others.emplace_back([this] { work(); });
      work();
    }
    auto order = [](const FoundFile& a, const FoundFile& b) { return std::tie(a.root, a.path) < std::tie(b.root, b.path); };
    std::ranges::sort(out_.files, order);
    std::ranges::sort(out_.unread, {}, &Unread::path);
    return std::move(out_);
  }

 private:
  void work() {
    Walk mine;
    std::uint64_t stamp = 0;
    std::vector<Folder> found, linked;
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return !waiting_.empty() || busy_ == 0; });
      if (waiting_.empty() && links_.empty()) break;
      if (waiting_.empty()) waiting_.push_back(links_.extract(links_.begin()).value());
      Folder folder = std::move(waiting_.back());
      waiting_.pop_back();
      ++busy_;
      lock.unlock();
      found.clear();
      linked.clear();
      if (!cancelled_) read(folder, mine, found, linked, stamp);
      lock.lock();
      --busy_;
      std::ranges::move(found, std::back_inserter(waiting_));
      links_.insert(linked.begin(), linked.end());
      changed_.notify_all();
    }
    std::ranges::move(mine.files, std::back_inserter(out_.files));
    std::ranges::move(mine.unread, std::back_inserter(out_.unread));
    out_.seen += mine.seen;
    stamp_ += stamp;
  }

  // Sums, since threads meet files in any order.
  std::uint64_t stamp_of(std::uint32_t root, const std::string& path, const struct stat& info) const {
    auto ns = [](const timespec& t) { return std::uint64_t(t.tv_sec) * 1'000'000'000 + std::uint64_t(t.tv_nsec); };
    std::uint64_t numbers[] = {root, info.st_dev, info.st_ino, std::uint64_t(info.st_size), info.st_mode, ns(info.st_mtim), ns(info.st_ctim)};
    return hash64(path, hash64({reinterpret_cast<const char*>(numbers), sizeof numbers}));
  }

  // False if the folder was entered before, by whatever name.
  bool enter(const struct stat& info) {
    std::lock_guard lock(seen_mutex_);
    return seen_.emplace(info.st_dev, info.st_ino).second;
  }

  void read(const Folder& folder, Walk& mine, std::vector<Folder>& found, std::vector<Folder>& linked,
            std::uint64_t& stamp) {
    std::string full = roots_[folder.root];
    if (!folder.path.empty()) full += '/' + folder.path;
    int fd = open(full.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0) {
      mine.unread.push_back({full, std::strerror(errno)});
      if (stamps_) stamp += hash64(full, static_cast<std::uint64_t>(errno));
      if (fd >= 0) close(fd);
      return;
    }
    DIR* dir = enter(info) ? fdopendir(fd) : nullptr;
    if (dir == nullptr) {
      close(fd);
      return;
    }
    while (dirent* entry = readdir(dir)) {
      std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      std::string path = folder.path.empty() ? std::string(name) : folder.path + '/' + std::string(name);
      unsigned char type = entry->d_type;
      FileKind kind = kind_of(name);
      bool link = type == DT_LNK;
      if (type == DT_UNKNOWN) {
        struct stat self;
        link = fstatat(fd, entry->d_name, &self, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(self.st_mode);
      }
      if (type == DT_LNK || type == DT_UNKNOWN) {
        struct stat target;
        if (fstatat(fd, entry->d_name, &target, 0) != 0) continue;  // a link to nothing
        type = S_ISDIR(target.st_mode) ? DT_DIR : S_ISREG(target.st_mode) ? DT_REG : DT_SOCK;
      }
      if (type == DT_DIR) {
        if (!is_left_out(name) && !is_excluded(globs_, path)) (link ? linked : found).push_back({folder.root, std::move(path)});
      } else if (type == DT_REG) {
        ++mine.seen;
        if (struct stat file; stamps_ && !name.ends_with(".pyc") && fstatat(fd, entry->d_name, &file, 0) == 0)
          stamp += stamp_of(folder.root, path, file);
        if (kind != FileKind::other && !is_excluded(globs_, path)) {
          mine.files.push_back({std::move(path), folder.root, kind});
        }
      }
    }
    closedir(dir);
  }

  const std::vector<std::string>& roots_;
  const std::vector<std::string>& globs_;
  const std::atomic<bool>& cancelled_;
  const bool stamps_;
  std::uint64_t stamp_ = 0;
  std::mutex mutex_, seen_mutex_;
  std::condition_variable changed_;
  std::vector<Folder> waiting_;
  std::set<Folder> links_;
  unsigned busy_ = 0;
  std::set<std::pair<dev_t, ino_t>> seen_;
  Walk out_;
};

}  // namespace

FileKind kind_of(std::string_view name) {
  std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return FileKind::other;
  std::string_view ext = name.substr(dot + 1);
  if (ext == "py") return FileKind::python;
  for (std::string_view c : {"cu", "cuh", "h", "hpp", "cpp", "cc", "cxx", "hh", "inl", "inc", "c"}) {
    if (ext == c) return FileKind::cuda;
  }
  for (std::string_view b : {"so", "cubin", "fatbin", "ptx", "o", "a", "hsaco"}) {
    if (ext == b) return FileKind::library;
  }
  return name.find(".so.") != std::string_view::npos ? FileKind::library : FileKind::other;
}

bool is_excluded(const std::vector<std::string>& globs, const std::string& path) {
  return std::ranges::any_of(globs, [&](const std::string& g) { return fnmatch(g.c_str(), path.c_str(), 0) == 0; });
}

Walk walk(const std::vector<std::string>& roots, const std::vector<std::string>& globs, unsigned threads,
          const std::atomic<bool>& cancelled) {
  return Walker(roots, globs, cancelled, false).run(threads);
}

std::uint64_t fingerprint(const std::vector<std::string>& roots, unsigned threads,
                          const std::atomic<bool>& cancelled) {
  Walker walker(roots, {}, cancelled, true);
  walker.run(threads);
  return walker.stamps();
}

}  // namespace ungate::audit
