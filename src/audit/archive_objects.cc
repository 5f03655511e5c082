#include "audit/archive_objects.h"

#include <fmt/core.h>

#include <map>

#include "audit/image.h"
#include "binary/stream.h"
#include "package/archive.h"
#include "package/folder.h"

namespace ungate::audit {
namespace {

using package::ArchiveEntry;

// What a wheel says of itself: the folder NAME-VERSION.dist-info.
struct Owner {
  std::string package, version;
};
std::optional<Owner> owner_of(std::string_view path) {
  std::size_t end = path.find(".dist-info/");
  if (end == path.npos || path.find('/') < end) return std::nullopt;
  std::string_view name = path.substr(0, end);
  std::size_t dash = name.rfind('-');
  if (dash == name.npos) return std::nullopt;
  return Owner{package::normalised_name(name.substr(0, dash)), std::string(name.substr(dash + 1))};
}

class Reader {
 public:
  Reader(const std::string& path, const ObjectOptions& options) : path_(path), options_(options) {}

  Result<Objects> run() {
    auto image = find_image(path_);
    if (!image) return std::unexpected(image.error());
    std::vector<package::Note> notes;
    Status status = *image ? read_layers(**image, notes) : read_files(notes);
    if (!status) return std::unexpected(status.error());
    Objects out;
    for (const package::Note& n : notes) out.unread.push_back({n.where, n.what});
    for (auto& [name, why] : unread_) out.unread.push_back({path_ + ": " + name, why});
    for (auto& [name, file] : files_) {
      if (!image->has_value() && owner_)
        file.package = owner_->package, file.version = owner_->version;
      out.files.push_back(std::move(file));
    }
    return out;
  }

 private:
  Status read_files(std::vector<package::Note>& notes) {
    return package::read_archive(
        path_, [this](ArchiveEntry& e) { return one(e, e.path()); }, notes);
  }

  Status read_layers(const Image& image, std::vector<package::Note>& notes) {
    std::map<std::string, std::size_t> order;
    for (std::size_t i = 0; i < image.layers.size(); ++i) order[image.layers[i]] = i;
    std::vector<Layer> layers(image.layers.size());
    auto visit = [&](ArchiveEntry& e) -> Status {
      auto found = order.find(e.path());
      if (found == order.end()) return {};
      Layer& layer = layers[found->second];
      auto inner = [&](ArchiveEntry& file) -> Status {
        if (layer.note_whiteout(file.path())) return {};
        layer.paths.push_back(file.path());
        return one(file, fmt::format("{}\n{}", found->second, file.path()));
      };
      return package::read_archive(e, path_ + ": " + e.path(), inner, notes);
    };
    if (auto s = package::read_archive(path_, visit, notes); !s) return s;
    apply(layers);
    return {};
  }

  // Keeps of each path the file of the last layer that has it, unless that or a later one removes
  // it.
  void apply(const std::vector<Layer>& layers) {
    std::map<std::string, ObjectFile> merged;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      std::erase_if(merged, [&](const auto& f) { return layers[i].removes(f.first); });
      for (const std::string& path : layers[i].paths) {
        merged.erase(path);
        auto found = files_.find(fmt::format("{}\n{}", i, path));
        if (found == files_.end()) continue;
        found->second.path = path;
        merged[path] = std::move(found->second);
      }
    }
    files_ = std::move(merged);
  }

  Status one(ArchiveEntry& entry, const std::string& key) {
    if (options_.cancelled != nullptr && *options_.cancelled) {
      return fail(ErrorCode::interrupted, "interrupted");
    }
    if (auto owner = owner_of(entry.path()); owner && !owner_) owner_ = owner;
    if (kind_of(package::name_of_path(entry.path())) != FileKind::library) return {};
    std::string name = path_ + ": " + entry.path();
    binary::StreamLister lister(name);
    for (;;) {
      auto bytes = entry.next();
      if (!bytes) return std::unexpected(bytes.error());
      if (bytes->empty()) break;
      lister.feed(*bytes);
    }
    auto listing = lister.finish();
    files_.erase(key);  // the last entry of a name is what unpacking leaves
    unread_.erase(key);
    if (!listing) {
      unread_[key] = listing.error().what;
    } else if (listing->kind != binary::FileKind::no_binary) {
      ObjectFile file;
      file.path = entry.path();
      file.listing = std::move(*listing);
      if (options_.kernels) look_inside(lister, name, file);
      files_[key] = std::move(file);
    }
    return {};
  }

  void look_inside(const binary::StreamLister& lister, const std::string& name, ObjectFile& file) {
    if (file.listing.objects.empty()) return;
    if (lister.whole() == nullptr) {
      unread_[file.path] = "its kernels are not looked into inside an archive: it is too large";
      return;
    }
    binary::Memory memory(name, *lister.whole());
    auto kernels = binary::read_kernels(memory, file.listing, options_.threads);
    if (kernels)
      file.kernels = std::move(*kernels);
    else
      unread_[file.path] = kernels.error().what;
  }

  const std::string& path_;
  const ObjectOptions& options_;
  std::map<std::string, ObjectFile> files_;
  std::map<std::string, std::string> unread_;
  std::optional<Owner> owner_;
};

}  // namespace

Result<Objects> read_archive_objects(const std::string& path, const ObjectOptions& options) {
  return Reader(path, options).run();
}

}  // namespace ungate::audit
