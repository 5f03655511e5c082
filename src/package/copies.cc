#include "package/copies.h"

#include <algorithm>
#include <map>

#include "package/folder.h"

namespace ungate::package {
namespace {

// The entry of a site that serves `name`: as CPython's finder, folder first, then extension module,
// then source.
std::string serving(const std::string& site, const std::string& name) {
  std::string base = join_path(site, name);
  if (is_file(base + "/__init__.py")) return base;
  if (auto entries = list_folder(site)) {
    for (const FolderEntry& e : *entries) {
      bool module =
          e.name == name + ".so" || (e.name.starts_with(name + ".") && e.name.ends_with(".so"));
      if (module && !e.folder) return join_path(site, e.name);
    }
  }
  return is_file(base + ".py") ? base + ".py" : std::string();
}

}  // namespace

std::vector<Duplicate> duplicates(const Environment& environment) {
  std::map<std::string, std::vector<std::uint32_t>> by_name;
  for (std::uint32_t i = 0; i < environment.distributions.size(); ++i) {
    const Distribution& d = environment.distributions[i];
    auto& found = by_name[d.name];
    // Debian keeps a dist-info and an egg-info of one and the same package side by side.
    bool same = std::ranges::any_of(found, [&](std::uint32_t other) {
      const Distribution& o = environment.distributions[other];
      return o.site == d.site && o.version_text == d.version_text;
    });
    if (!same) found.push_back(i);
  }
  std::vector<Duplicate> out;
  for (auto& [name, found] : by_name) {
    if (found.size() > 1) out.push_back({name, std::move(found)});
  }
  return out;
}

std::vector<Copy> copies_of(const Environment& environment, std::string_view name) {
  std::vector<Copy> out, namespaces;
  for (std::uint32_t i = 0; i < environment.sites.size(); ++i) {
    const std::string& site = environment.sites[i].path;
    if (std::string path = serving(site, std::string(name)); !path.empty()) {
      out.push_back({i, path});
    } else if (std::string folder = join_path(site, name); is_folder(folder)) {
      namespaces.push_back({i, folder});
    }
  }
  std::ranges::move(namespaces, std::back_inserter(out));
  return out;
}

}  // namespace ungate::package
