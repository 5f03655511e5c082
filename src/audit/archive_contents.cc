#include "audit/archive_contents.h"

#include <fmt/core.h>

#include "audit/image.h"
#include "binary/stream.h"
#include "package/archive.h"
#include "package/folder.h"

namespace ungate::audit {
namespace {

using package::ArchiveEntry;

constexpr std::uint64_t kLargestText = std::uint64_t{64} << 20,
                        kMostText = std::uint64_t{2} << 30;

class Reader {
 public:
  Reader(const std::string& path, const ObjectOptions& options, const WantsText& wants)
      : path_(path), options_(options), wants_(wants) {}

  Result<ArchiveContents> run() {
    auto image = find_image(path_);
    if (!image) return std::unexpected(image.error());
    out_.image = image->has_value();
    Status status = *image ? read_layers(**image) : read_files();
    if (!status) return std::unexpected(status.error());
    for (const package::Note& n : notes_) out_.unread.push_back({n.where, n.what});
    return std::move(out_);
  }

 private:
  Status read_files() {
    auto visit = [this](ArchiveEntry& e) { return one(e, out_.members, out_.seen); };
    return package::read_archive(path_, visit, notes_);
  }

  struct LayerFiles {
    Layer layer;
    std::map<std::string, ArchiveMember> members;
  };

  Status read_layers(const Image& image) {
    std::map<std::string, std::size_t> order;
    for (std::size_t i = 0; i < image.layers.size(); ++i) order[image.layers[i]] = i;
    std::vector<LayerFiles> layers(image.layers.size());
    auto visit = [&](ArchiveEntry& e) -> Status {
      auto found = order.find(e.path());
      if (found == order.end()) return {};
      LayerFiles& files = layers[found->second];
      auto inner = [&](ArchiveEntry& file) -> Status {
        if (files.layer.note_whiteout(file.path())) return {};
        files.layer.paths.push_back(file.path());
        return one(file, files.members, out_.seen);
      };
      return package::read_archive(e, path_ + ": " + e.path(), inner, notes_);
    };
    if (auto s = package::read_archive(path_, visit, notes_); !s) return s;
    apply(layers);
    return {};
  }

  // Keeps of each path the file of the last layer that has it, unless that or a later one removes
  // it.
  void apply(std::vector<LayerFiles>& layers) {
    auto& merged = out_.members;
    for (LayerFiles& files : layers) {
      std::erase_if(merged, [&](const auto& f) { return files.layer.removes(f.first); });
      for (const std::string& path : files.layer.paths) merged.erase(path);
      for (auto& [path, member] : files.members) merged[path] = std::move(member);
    }
  }

  Status one(ArchiveEntry& entry, std::map<std::string, ArchiveMember>& into, std::size_t& seen) {
    if (options_.cancelled != nullptr && *options_.cancelled) {
      return fail(ErrorCode::interrupted, "interrupted");
    }
    ++seen;
    bool library = kind_of(package::name_of_path(entry.path())) == FileKind::library;
    bool text = !library && wants_ && wants_(entry.path(), out_.image);
    if (!library && !text) return {};
    ArchiveMember member;
    auto status = library ? read_binary(entry, member) : read_text(entry, member);
    if (!status) return status;
    // The last entry of a name is what unpacking leaves.
    into[entry.path()] = std::move(member);
    return {};
  }

  Status read_text(ArchiveEntry& entry, ArchiveMember& member) {
    for (;;) {
      auto bytes = entry.next();
      if (!bytes) return std::unexpected(bytes.error());
      if (bytes->empty()) break;
      if (member.text.size() + bytes->size() > kLargestText ||
          text_ + member.text.size() + bytes->size() > kMostText) {
        member.unread = "it is too large to be kept; unpack the archive";
        member.text.clear();
        return {};
      }
      member.text += *bytes;
    }
    text_ += member.text.size();
    return {};
  }

  Status read_binary(ArchiveEntry& entry, ArchiveMember& member) {
    std::string name = path_ + ": " + entry.path();
    binary::StreamLister lister(name);
    for (;;) {
      auto bytes = entry.next();
      if (!bytes) return std::unexpected(bytes.error());
      if (bytes->empty()) break;
      lister.feed(*bytes);
    }
    auto listing = lister.finish();
    if (!listing) {
      member.unread = listing.error().what;
      return {};
    }
    if (listing->kind == binary::FileKind::no_binary) return {};
    member.object.emplace();
    member.object->path = entry.path();
    member.object->listing = std::move(*listing);
    if (options_.kernels) look_inside(lister, name, member);
    return {};
  }

  void look_inside(const binary::StreamLister& lister, const std::string& name,
                   ArchiveMember& member) {
    if (member.object->listing.objects.empty()) return;
    if (lister.whole() == nullptr) {
      member.unread = "its kernels are not looked into inside an archive: it is too large";
      return;
    }
    binary::Memory memory(name, *lister.whole());
    auto kernels = binary::read_kernels(memory, member.object->listing, options_.threads);
    if (kernels)
      member.object->kernels = std::move(*kernels);
    else
      member.unread = kernels.error().what;
  }

  const std::string& path_;
  const ObjectOptions& options_;
  const WantsText& wants_;
  std::vector<package::Note> notes_;
  std::uint64_t text_ = 0;
  ArchiveContents out_;
};

}  // namespace

Result<ArchiveContents> read_archive_contents(const std::string& path, const ObjectOptions& options,
                                              const WantsText& wants) {
  return Reader(path, options, wants).run();
}

}  // namespace ungate::audit
