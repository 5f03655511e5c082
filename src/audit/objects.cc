#include "audit/objects.h"

#include <algorithm>
#include <mutex>

#include "base/parallel.h"
#include "package/folder.h"
#include "package/owners.h"

namespace ungate::audit {
namespace {

bool is_selected(const package::Environment& environment, const FoundFile& file) {
  if (environment.selected.empty()) return true;
  std::string full = package::join_path(environment.sites[file.root].path, file.path);
  return std::ranges::any_of(environment.selected, [&](const std::string& folder) {
    return package::is_within(full, folder);
  });
}

// Files with more code objects than this are read by all threads together, one file after another.
constexpr std::size_t kManyObjects = 16;

Status read_kernels(const std::string& path, ObjectFile& file, unsigned threads) {
  auto source = binary::open_file(path);
  if (!source) return std::unexpected(source.error());
  auto kernels = binary::read_kernels(**source, file.listing, threads);
  if (!kernels) return std::unexpected(kernels.error());
  file.kernels = std::move(*kernels);
  return {};
}

class Reading {
 public:
  Reading(const package::Environment& environment, const std::vector<FoundFile>& files,
          const ObjectOptions& options)
      : environment_(environment), found_(files), options_(options), read_(files.size()) {}

  Objects run() {
    auto look = [&](std::size_t i) { list(i); };
    parallel_for(found_.size(), options_.threads, look, 8);
    if (options_.kernels) {
      parallel_for(found_.size(), options_.threads, [&](std::size_t i) { look_inside(i, 1); });
      for (std::size_t i = 0; i < found_.size(); ++i) look_inside(i, options_.threads);
    }
    finish();
    return std::move(out_);
  }

 private:
  bool stopped() const { return options_.cancelled != nullptr && *options_.cancelled; }
  std::string full_path(std::size_t i) const {
    return package::join_path(environment_.sites[found_[i].root].path, found_[i].path);
  }
  void not_read(std::size_t i, const Error& error) {
    std::lock_guard lock(mutex_);
    out_.unread.push_back({full_path(i), error.what});
  }

  void list(std::size_t i) {
    const FoundFile& file = found_[i];
    if (stopped() || file.kind != FileKind::library || !is_selected(environment_, file)) return;
    auto listing = binary::list_file(full_path(i));
    if (!listing) return not_read(i, listing.error());
    read_[i].site = file.root;
    read_[i].path = file.path;
    read_[i].listing = std::move(*listing);
  }

  // With one thread the files with few objects, with several the others.
  void look_inside(std::size_t i, unsigned threads) {
    std::size_t objects = read_[i].listing.objects.size();
    if (stopped() || objects == 0 || read_[i].kernels) return;
    if (threads == 1 && objects > kManyObjects && options_.threads != 1) return;
    auto status = read_kernels(full_path(i), read_[i], threads);
    if (status) return;
    not_read(i, status.error());
    read_[i].listing = {};
  }

  void finish() {
    package::Owners mine(environment_);
    const package::Owners& owners = options_.owners == nullptr ? mine : *options_.owners;
    for (ObjectFile& file : read_) {
      if (file.listing.kind == binary::FileKind::no_binary) continue;
      if (auto owner = owners.find(file.site, file.path); owner.distribution != nullptr) {
        file.package = owner.distribution->name;
        file.version = owner.distribution->version_text;
      }
      out_.files.push_back(std::move(file));
    }
    std::ranges::sort(out_.unread, {}, &Unread::path);
  }

  const package::Environment& environment_;
  const std::vector<FoundFile>& found_;
  const ObjectOptions& options_;
  std::vector<ObjectFile> read_;
  std::mutex mutex_;
  Objects out_;
};

}  // namespace

Objects read_objects(const package::Environment& environment, const std::vector<FoundFile>& files,
                     const ObjectOptions& options) {
  return Reading(environment, files, options).run();
}

Result<ObjectFile> read_object(const std::string& full_path, const ObjectOptions& options) {
  ObjectFile file;
  file.path = full_path;
  auto listing = binary::list_file(full_path);
  if (!listing) return std::unexpected(listing.error());
  file.listing = std::move(*listing);
  if (options.kernels) {
    if (auto s = read_kernels(full_path, file, options.threads); !s)
      return std::unexpected(s.error());
  }
  return file;
}

Objects find_objects(const package::Environment& environment, const ObjectOptions& options) {
  static const std::atomic<bool> never{false};
  std::vector<std::string> roots;
  for (const package::Site& site : environment.sites) roots.push_back(site.path);
  Walk found = walk(roots, options.excludes, options.threads,
                    options.cancelled == nullptr ? never : *options.cancelled);
  if (environment.sites.size() > 1) {
    // A site inside another one owns its files.
    std::erase_if(found.files, [&](const FoundFile& f) {
      std::string full = package::join_path(environment.sites[f.root].path, f.path);
      return f.kind != FileKind::library || environment.site_of(full) != f.root;
    });
  }
  Objects out = read_objects(environment, found.files, options);
  out.unread.insert(out.unread.begin(), found.unread.begin(), found.unread.end());
  return out;
}

}  // namespace ungate::audit
