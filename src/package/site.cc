#include "package/site.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "package/folder.h"
#include "package/prefix.h"

namespace ungate::package {
namespace {

constexpr std::string_view kKindNames[] = {"site-packages", "user", "base", "target", "pth",
                                           "editable", "pythonpath", "checkout", "folder"};

bool is_package(const std::string& folder) { return is_file(folder + "/__init__.py"); }

bool holds_package(const std::string& folder) {
  auto entries = list_folder(folder);
  return entries && std::ranges::any_of(*entries, [&](const FolderEntry& e) {
           return e.folder && is_package(join_path(folder, e.name));
         });
}

void read_pth(const std::string& file, const std::string& site_path, std::vector<PthFolder>& out,
              std::vector<Note>& notes) {
  auto text = read_file(file, 1 << 20);
  if (!text) {
    notes.push_back({file, text.error().what});
    return;
  }
  for (std::string_view line : text::lines(text->bytes)) {
    std::string_view name = text::trim(line);
    if (name.empty() || line.starts_with('#')) continue;
    if (line.starts_with("import ") || line.starts_with("import\t")) {
      notes.push_back({file, "runs code when Python starts; what it adds is not followed"});
      continue;
    }
    std::string path = absolute(name, site_path);
    auto real = resolve(path);
    if (!real && real.error().code == ErrorCode::no_such_path) continue;  // as Python does
    if (!real || !is_folder(*real)) {
      notes.push_back({file, "adds " + path + ", which is not a folder that can be read"});
      continue;
    }
    out.push_back({*real, file});
  }
}

}  // namespace

std::string_view name_of(SiteKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::string state_root(const std::string& site_path) {
  for (std::string folder = site_path;; folder = parent_of(folder)) {
    if (is_environment(folder)) return folder;
    if (folder == "/" || folder == ".") return site_path;
  }
}

bool is_installed_site(const std::string& folder) {
  std::string name = name_of_path(folder);
  if ((name == "site-packages" || name == "dist-packages") && is_folder(folder)) return true;
  auto entries = list_folder(folder);
  return entries && std::ranges::any_of(*entries, [](const FolderEntry& e) {
           return e.folder && e.name.ends_with(".dist-info");
         });
}

bool is_checkout(const std::string& folder) {
  return exists(folder + "/.git") || is_file(folder + "/pyproject.toml") ||
         is_file(folder + "/setup.py") || is_file(folder + "/setup.cfg");
}

std::vector<PthFolder> pth_folders(const std::string& site_path, std::vector<Note>& notes) {
  std::vector<PthFolder> out;
  auto entries = list_folder(site_path);
  if (!entries) return out;
  for (const FolderEntry& entry : *entries) {
    if (entry.folder || !entry.name.ends_with(".pth") || entry.name.starts_with('.')) continue;
    read_pth(join_path(site_path, entry.name), site_path, out, notes);
  }
  return out;
}

std::vector<std::string> checkout_roots(const std::string& folder) {
  std::vector<std::string> out;
  for (const char* name : {"python", "src"}) {
    std::string path = join_path(folder, name);
    if (!is_package(path) && holds_package(path)) out.push_back(path);
  }
  out.push_back(folder);
  return out;
}

std::string import_root(const std::string& path) {
  std::string folder = is_folder(path) ? path : parent_of(path);
  while (folder != "/" && folder != "." && is_package(folder)) folder = parent_of(folder);
  return folder;
}

}  // namespace ungate::package
