#include "package/builder.h"

#include <algorithm>

#include "base/text.h"
#include "package/folder.h"

namespace ungate::package {
namespace {

bool holds_anything(const std::string& folder) {
  auto entries = list_folder(folder);
  return entries && std::ranges::any_of(
                        *entries, [](const FolderEntry& e) { return e.name != "__pycache__"; });
}

}  // namespace

bool Builder::add_prefix(const Prefix& prefix, const std::string& python_version) {
  std::vector<std::string> own = site_folders(prefix.path, python_version);
  bool own_site = std::ranges::any_of(own, holds_anything);
  environment_.prefix = prefix.path;
  environment_.python_version = python_version;
  for (std::string_view folder : text::split(around_.python_path, ':')) {
    if (folder.empty()) continue;
    auto path = resolve(absolute(folder, around_.working_folder));
    if (path && is_folder(*path)) add(*path, SiteKind::python_path);
  }
  bool sees_base = prefix.virtual_environment && prefix.system_site && !prefix.base.empty();
  // A virtual environment stands before the user's site, an interpreter's own sites behind it.
  if (prefix.virtual_environment) {
    for (const std::string& path : own) add_with_pth(path, SiteKind::site_packages);
  }
  if ((sees_base || !prefix.virtual_environment) && !around_.no_user_site &&
      !around_.home.empty()) {
    for (const std::string& path : site_folders(around_.home + "/.local", python_version)) {
      add_with_pth(path, SiteKind::user);
    }
  }
  if (!prefix.virtual_environment) {
    for (const std::string& path : own) add_with_pth(path, SiteKind::site_packages);
  }
  if (sees_base) {
    for (const std::string& path : site_folders(prefix.base, python_version)) {
      add_with_pth(path, SiteKind::base);
    }
  }
  return own_site;
}

void Builder::add_named_site(const std::string& path) {
  std::string name = name_of_path(path);
  if (name == "site-packages" || name == "dist-packages") {
    add_with_pth(path, SiteKind::site_packages);
  } else {
    add(path, SiteKind::target);
  }
}

void Builder::add_checkout(const std::string& path) { add_sources(path, SiteKind::checkout); }

void Builder::add_folder(const std::string& path) { add(path, SiteKind::folder); }

Environment Builder::finish() {
  auto read = [&](std::uint32_t site) {
    auto found = read_distributions(environment_.sites[site].path, site, environment_.notes);
    std::ranges::move(found, std::back_inserter(environment_.distributions));
  };
  std::uint32_t site = 0;
  for (; site < environment_.sites.size(); ++site) read(site);
  add_editable_sources();
  for (; site < environment_.sites.size(); ++site) read(site);
  return std::move(environment_);
}

void Builder::add(const std::string& path, SiteKind kind, const std::string& from) {
  auto& sites = environment_.sites;
  if (std::ranges::find(sites, path, &Site::path) != sites.end()) return;
  sites.push_back({path, state_root(path), kind, from});
}

void Builder::add_sources(const std::string& folder, SiteKind kind, const std::string& from) {
  for (const std::string& root : checkout_roots(folder)) {
    std::size_t before = environment_.sites.size();
    add(root, kind, from);
    if (environment_.sites.size() == before) continue;  // there already
    Site& site = environment_.sites.back();
    if (!is_environment(site.root)) site.root = folder;
  }
}

void Builder::add_with_pth(const std::string& path, SiteKind kind) {
  add(path, kind);
  for (PthFolder& folder : pth_folders(path, environment_.notes)) {
    add(folder.path, SiteKind::pth, folder.from);
  }
}

void Builder::add_editable_sources() {
  for (std::size_t i = 0; i < environment_.distributions.size(); ++i) {
    const Distribution& d = environment_.distributions[i];
    if (d.editable_source.empty()) continue;
    std::string from = join_path(environment_.sites[d.site].path, d.metadata) + "/direct_url.json";
    auto source = resolve(d.editable_source);
    if (!source || !is_folder(*source)) {
      environment_.notes.push_back(
          {from, "the sources of this editable install are not there: " + d.editable_source});
      continue;
    }
    // A .pth file may have named the same sources already.
    auto inside = [&](const Site& s) {
      return is_within(s.path, *source) && s.kind == SiteKind::pth;
    };
    if (std::ranges::any_of(environment_.sites, inside)) continue;
    add_sources(*source, SiteKind::editable, from);
  }
}

}  // namespace ungate::package
