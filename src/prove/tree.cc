#include "prove/tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/file.h"

namespace ungate::prove {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSite = "/ungate/site";

std::string site_name(std::size_t i) {
  return std::string(kSite) + std::to_string(i);
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

Status write_text(const fs::path& path, const std::string& text) {
  std::error_code ec;
  fs::remove(path, ec);
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) return std::unexpected(os_error("writing", path.string(), errno));
  return {};
}

// Links to what is in `from`, in `to`. Folders that hold something of `inside` (paths below the site)
// are made anew; others are links themselves.
void mirror(const fs::path& from, const fs::path& to, const std::string& relative, const std::set<std::string>& inside) {
  std::error_code ec;
  fs::create_directories(to, ec);
  for (fs::directory_iterator it(from, ec), end; it != end; it.increment(ec)) {
    std::string name = it->path().filename().string();
    std::string path = relative.empty() ? name : relative + '/' + name;
    std::error_code ignored;
    auto next = inside.lower_bound(path);
    bool holds = next != inside.end() && (*next == path || is_below(*next, path));
    // "a-b" sorts between "a" and "a/b".
    for (; !holds && next != inside.end() && next->starts_with(path); ++next) holds = is_below(*next, path);
    bool within = std::ranges::any_of(inside, [&](const std::string& s) { return path == s || is_below(path, s); });
    if (it->is_directory(ignored) && (holds || within)) {
      mirror(it->path(), to / name, path, inside);
    } else {
      fs::create_symlink(it->path(), to / name, ignored);
    }
  }
}

}  // namespace

Tree::Tree(std::vector<std::string> sites) : sites_(std::move(sites)) {
  for (std::size_t i = 0; i < sites_.size(); ++i) roots_.emplace_back(sites_[i], site_name(i));
}

Result<Tree> Tree::edited(std::vector<std::string> sites, const Texts& texts, const std::vector<std::string>& folders,
                          const std::string& scratch) {
  Tree out(std::move(sites));
  std::map<std::size_t, std::map<std::string, const std::string*>> by_site;
  for (const auto& [path, text] : texts) {
    std::error_code ec;
    std::size_t i = 0;
    while (i < out.sites_.size() && !fs::is_regular_file(out.sites_[i] + '/' + path, ec)) ++i;
    if (i == out.sites_.size()) return fail(ErrorCode::no_such_path, "is edited but not there", path);
    by_site[i][path] = &text;
  }
  std::vector<std::pair<std::string, std::string>> mirrors;
  for (const auto& [i, files] : by_site) {
    // The searched folders that hold an edited file, and the folders of edited files.
    std::set<std::string> inside;
    for (const auto& [path, text] : files) {
      inside.insert(fs::path(path).parent_path().string());
      for (const std::string& folder : folders) {
        if (is_below(path, folder)) inside.insert(folder);
      }
    }
    std::string to = scratch + "/site" + std::to_string(i);
    mirror(out.sites_[i], to, {}, inside);
    for (const auto& [path, text] : files) {
      if (auto status = write_text(to + '/' + path, *text); !status) return std::unexpected(status.error());
      out.replaced_.insert(out.sites_[i] + '/' + path);
    }
    mirrors.emplace_back(to, site_name(i));
  }
  out.roots_.insert(out.roots_.begin(), mirrors.begin(), mirrors.end());
  return out;
}

std::optional<std::string> Tree::find(const std::string& path) const {
  std::error_code ec;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    if (!fs::exists(sites_[i] + '/' + path, ec)) continue;
    return path_of(site_name(i) + '/' + path);
  }
  return std::nullopt;
}

std::string Tree::name_of(std::string_view path) const {
  for (const auto& [folder, name] : roots_) {
    if (is_below(path, folder)) return name + std::string(path.substr(folder.size()));
  }
  return std::string(path);
}

std::string without_roots(std::string text) {
  for (std::size_t at = 0; (at = text.find(kSite, at)) != text.npos;) {
    std::size_t end = text.find_first_not_of("0123456789", at + kSite.size());
    if (end == text.npos || text[end] != '/') at += kSite.size();
    else text.erase(at, end + 1 - at);
  }
  return text;
}

std::string Tree::path_of(std::string_view name) const {
  for (const auto& [folder, root] : roots_) {
    if (is_below(name, root)) return folder + std::string(name.substr(root.size()));
  }
  return std::string(name);
}

}  // namespace ungate::prove
