#include "audit/archive_tree.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "package/folder.h"
#include "package/owners.h"

namespace ungate::audit {
namespace {

constexpr std::string_view kDistInfo = ".dist-info/";

bool is_source(std::string_view path) {
  FileKind kind = kind_of(path.substr(path.rfind('/') + 1));
  return kind == FileKind::python || kind == FileKind::cuda;
}

// What generated sources are made of: read when a module's builder opens it.
bool is_template(std::string_view path) {
  return path.ends_with(".jinja") || path.ends_with(".jinja2") || path.ends_with(".j2");
}

bool ends_in(std::string_view path, std::string_view name) {
  return path == name || (path.ends_with(name) && path[path.size() - name.size() - 1] == '/');
}

bool is_metadata(std::string_view path) {
  if (path.find(kDistInfo) == path.npos) return false;
  return ends_in(path, "RECORD") || ends_in(path, "METADATA") || ends_in(path, "INSTALLER") ||
         ends_in(path, "direct_url.json");
}

bool wants(const std::string& path, bool image) {
  if (is_metadata(path) || ends_in(path, "pyproject.toml")) return true;
  if (!is_source(path) && !is_template(path)) return false;
  return !image || !path.starts_with("usr/") || path.find("-packages/") != path.npos;
}

// "a/b/" of "a/b/c", "" of "c".
std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// What pip makes of a name in a wheel: NAME.data/purelib/x becomes x.
std::string installed_name(const std::string& path) {
  for (std::string_view part : {".data/purelib/", ".data/platlib/"}) {
    std::size_t at = path.find(part);
    if (at != path.npos && path.find('/') == at + 5) return path.substr(at + part.size());
  }
  return path;
}

class Builder {
 public:
  Builder(const std::string& path, const ObjectOptions& options, ArchiveContents contents)
      : path_(path), options_(options), contents_(std::move(contents)) {}

  std::unique_ptr<ArchiveTree> build() {
    out_->seen = contents_.seen;
    out_->objects.unread = std::move(contents_.unread);
    if (path_.ends_with(".whl")) {
      roots_ = {""};
    } else {
      find_roots();
    }
    for (const std::string& root : roots_) add_site(root);
    for (auto& [name, member] : contents_.members) place(name, member);
    name_owners();
    auto order = [](const FoundFile& a, const FoundFile& b) {
      return std::tie(a.root, a.path) < std::tie(b.root, b.path);
    };
    std::ranges::sort(out_->files, order);
    std::ranges::sort(out_->objects.files, {}, [](const ObjectFile& f) { return std::tie(f.site, f.path); });
    return std::move(out_);
  }

 private:
  // Folders with a final slash; "" is the archive.
  void find_roots() {
    std::set<std::string> installed, checkouts;
    for (const auto& [name, member] : contents_.members) {
      if (std::size_t at = name.find(kDistInfo); at != name.npos) {
        installed.insert(folder_of(name.substr(0, at)));
      }
    }
    auto below_one = [](const std::set<std::string>& folders, const std::string& folder) {
      return std::ranges::any_of(folders, [&](const auto& f) { return folder.starts_with(f); });
    };
    // Outer folders come first: a checkout inside another one belongs to it.
    for (const auto& [name, member] : contents_.members) {
      if (!ends_in(name, "pyproject.toml") && !ends_in(name, "setup.py")) continue;
      std::string folder = folder_of(name);
      if (!below_one(installed, folder)) checkouts.insert(folder);
    }
    roots_.assign(installed.begin(), installed.end());
    std::set<std::string> outermost;
    for (const std::string& folder : checkouts) {
      if (below_one(outermost, folder)) continue;
      outermost.insert(folder);
      for (const char* inner : {"python/", "src/"}) {
        if (holds_package(folder + inner)) roots_.push_back(folder + inner);
      }
      roots_.push_back(folder);
    }
    if (std::ranges::find(roots_, "") == roots_.end()) roots_.push_back("");
  }

  // "python/sglang/__init__.py" is there, "python/__init__.py" is not.
  bool holds_package(const std::string& folder) const {
    const auto& members = contents_.members;
    if (members.contains(folder + "__init__.py")) return false;
    for (auto at = members.lower_bound(folder); at != members.end() && at->first.starts_with(folder);
         ++at) {
      std::string_view rest = std::string_view(at->first).substr(folder.size());
      std::size_t slash = rest.find('/');
      if (slash != rest.npos && rest.substr(slash + 1) == "__init__.py") return true;
    }
    return false;
  }

  void add_site(const std::string& root) {
    auto& environment = out_->environment;
    auto number = static_cast<std::uint32_t>(environment.sites.size());
    std::string place = root.empty() ? path_ : path_ + '/' + root.substr(0, root.size() - 1);
    environment.sites.push_back({place, path_, package::SiteKind::folder, {}});
    const auto& members = contents_.members;
    for (auto at = members.lower_bound(root); at != members.end() && at->first.starts_with(root); ++at) {
      std::string_view rest = std::string_view(at->first).substr(root.size());
      std::size_t end = rest.find(kDistInfo);
      if (end == rest.npos || rest.find('/') < end) continue;
      if (rest.substr(end + kDistInfo.size()) != "METADATA") continue;
      package::Distribution d;
      if (!package::read_wheel_name(rest.substr(0, end), d)) continue;
      std::string folder = folder_of(at->first);
      d.site = number;
      d.metadata = rest.substr(0, end + kDistInfo.size() - 1);
      d.installer = text::lower(text::trim(text_of(folder + "INSTALLER")));
      d.editable_source = package::editable_source(text_of(folder + "direct_url.json"));
      if (!d.editable_source.empty()) d.editable_source = path_ + d.editable_source;
      d.record = std::make_shared<package::Record>(package::Record::parse(text_of(folder + "RECORD")));
      environment.distributions.push_back(std::move(d));
    }
  }

  std::string_view text_of(const std::string& name) const {
    auto at = contents_.members.find(name);
    return at == contents_.members.end() ? std::string_view() : std::string_view(at->second.text);
  }

  // Under the deepest root that holds it.
  void place(const std::string& name, ArchiveMember& member) {
    if (!member.unread.empty()) out_->objects.unread.push_back({path_ + ": " + name, member.unread});
    bool text = (is_source(name) || is_template(name)) && member.unread.empty();
    if (!text && !member.object) return;
    std::string path = path_.ends_with(".whl") ? installed_name(name) : name;
    std::size_t best = 0, length = 0;
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      if (path.starts_with(roots_[i]) && roots_[i].size() >= length) best = i, length = roots_[i].size();
    }
    FoundFile file{path.substr(length), static_cast<std::uint32_t>(best),
                   kind_of(package::name_of_path(path))};
    if (is_excluded(options_.excludes, file.path)) return;
    if (text) {
      texts_.push_back({file, std::move(member.text)});
    } else {
      member.object->site = file.root;
      member.object->path = file.path;
      out_->objects.files.push_back(std::move(*member.object));
    }
    if (!is_template(name)) out_->files.push_back(std::move(file));
  }

  // Of two texts with one relative path the first root's counts, as in import order.
  void name_owners() {
    std::ranges::stable_sort(texts_, {}, [](const auto& t) { return t.first.root; });
    for (auto& [file, text] : texts_) out_->texts.try_emplace(file.path, std::move(text));
    package::Owners owners(out_->environment);
    for (ObjectFile& file : out_->objects.files) {
      auto owner = owners.find(file.site, file.path);
      if (owner.distribution == nullptr) continue;
      file.package = owner.distribution->name;
      file.version = owner.distribution->version_text;
    }
  }

  const std::string& path_;
  const ObjectOptions& options_;
  ArchiveContents contents_;
  std::vector<std::string> roots_;
  std::vector<std::pair<FoundFile, std::string>> texts_;
  std::unique_ptr<ArchiveTree> out_ = std::make_unique<ArchiveTree>();
};

}  // namespace

Result<std::unique_ptr<ArchiveTree>> read_archive_tree(const std::string& path,
                                                       const ObjectOptions& options) {
  auto contents = read_archive_contents(path, options, wants);
  if (!contents) return std::unexpected(contents.error());
  return Builder(path, options, std::move(*contents)).build();
}

}  // namespace ungate::audit
