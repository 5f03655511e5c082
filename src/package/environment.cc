#include "package/environment.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "package/builder.h"
#include "package/folder.h"

namespace ungate::package {
namespace {

// A path within something larger: what it lies in, and the path itself (`selected`).
struct Place {
  enum class Kind { prefix, site, checkout, folder } kind = Kind::folder;
  std::string path;      // of the prefix, site, checkout or import root; links resolved
  std::string selected;  // empty: all of it
};

bool is_prefix(const std::string& folder) {
  return is_environment(folder) || !python_versions(folder).empty() ||
         !site_folders(folder, "").empty();
}

// Whether there is a file below, also behind links to folders elsewhere; stops at the first.
bool holds_file(const std::string& folder, int depth = 0) {
  constexpr int kDeepest = 32;  // links may lead round in circles
  auto entries = list_folder(folder);
  if (!entries || depth > kDeepest) return false;
  std::string mine = resolve(folder).value_or(folder) + '/';
  for (const FolderEntry& e : *entries) {
    if (!e.folder) return true;
  }
  return std::ranges::any_of(*entries, [&](const FolderEntry& e) {
    std::string there = join_path(folder, e.name);
    bool upward = e.symlink && mine.starts_with(resolve(there).value_or(there) + '/');
    return !upward && holds_file(there, depth + 1);
  });
}

// The path of `path` once its ancestor `folder` has been resolved.
std::string below(const std::string& path, const std::string& folder, const std::string& resolved) {
  return path.size() == folder.size() ? resolved
                                      : resolved + path.substr(folder == "/" ? 0 : folder.size());
}

Place place_in(Place::Kind kind, const std::string& path, const std::string& folder) {
  std::string resolved = resolve(folder).value_or(folder);
  std::string selected = path == folder ? std::string() : below(path, folder, resolved);
  return {kind, resolved, selected};
}

// Walks up from a path that is no prefix. An installed site wins over sources that it holds (wheels
// ship pyproject.toml files), but not over a git checkout below it.
Place place_of(const std::string& path) {
  std::string sources;
  for (std::string folder = is_folder(path) ? path : parent_of(path);; folder = parent_of(folder)) {
    if (is_installed_site(folder)) return place_in(Place::Kind::site, path, folder);
    if (sources.empty() && is_checkout(folder)) sources = folder;
    if (exists(folder + "/.git") || folder == "/") break;
  }
  if (!sources.empty()) return place_in(Place::Kind::checkout, path, sources);
  return place_in(Place::Kind::folder, path, import_root(path));
}

Result<Place> locate(const std::string& named, const Surroundings& around) {
  std::string path = absolute(named, around.working_folder);
  auto there = resolve(path);
  if (!there) {
    return std::unexpected(
        Error{there.error().code, there.error().what, named, there.error().next});
  }
  if (is_folder(path)) {
    auto entries = list_folder(path);
    if (!entries) {
      return std::unexpected(Error{entries.error().code, entries.error().what, named, {}});
    }
    if (is_prefix(path)) return Place{Place::Kind::prefix, *there, {}};
    if (!holds_file(path)) return fail(ErrorCode::nothing_to_audit, "holds no files", named);
  }
  return place_of(path);
}

// A version that does not have the site itself belongs to another Python of the same prefix.
bool has_site(const Environment& e, const std::string& path) {
  return std::ranges::find(e.sites, path, &Site::path) != e.sites.end();
}

Result<std::vector<Environment>> of_prefix(const Prefix& prefix, const Surroundings& around) {
  std::vector<std::string> versions = {prefix.python_version};
  if (prefix.python_version.empty()) versions = python_versions(prefix.path);
  if (versions.empty()) versions = {""};
  std::vector<Environment> out;
  for (const std::string& version : versions) {
    Builder builder(around);
    if (builder.add_prefix(prefix, version)) out.push_back(builder.finish());
  }
  if (out.empty()) {
    return fail(ErrorCode::nothing_to_audit, "has no site-packages folder, or an empty one",
                prefix.path);
  }
  return out;
}

// The environment of a site. One inside a virtual or conda environment comes with that
// environment's other sites, so that imports resolve; then only the named site is selected.
Environment of_site(const Place& place, const Surroundings& around) {
  std::string root = state_root(place.path);
  if (is_environment(root)) {
    auto all = of_prefix(read_prefix(root), around);
    for (std::size_t i = 0; all && i < all->size(); ++i) {
      Environment& e = (*all)[i];
      if (!has_site(e, place.path)) continue;
      if (!place.selected.empty()) {
        e.selected = {place.selected};
      } else if (e.sites.size() > 1) {
        e.selected = {place.path};
      }
      return std::move(e);
    }
  }
  Builder builder(around);
  builder.add_named_site(place.path);
  Environment e = builder.finish();
  if (!place.selected.empty()) e.selected = {place.selected};
  return e;
}

Environment of_sources(const Place& place, const Surroundings& around) {
  Builder builder(around);
  if (place.kind == Place::Kind::checkout) {
    builder.add_checkout(place.path);
  } else {
    builder.add_folder(place.path);
  }
  Environment e = builder.finish();
  if (!place.selected.empty()) e.selected = {place.selected};
  return e;
}

Result<std::vector<Environment>> of_place(const Place& place, const Surroundings& around) {
  switch (place.kind) {
    case Place::Kind::prefix: return of_prefix(read_prefix(place.path), around);
    case Place::Kind::site: return std::vector{of_site(place, around)};
    default: return std::vector{of_sources(place, around)};
  }
}

// Adds to the list, or to the selection of an environment that is there already.
void merge(std::vector<Environment>& all, Environment e) {
  auto same = std::ranges::find_if(all, [&](const Environment& other) {
    return std::ranges::equal(other.sites, e.sites, {}, &Site::path, &Site::path);
  });
  if (same == all.end()) {
    all.push_back(std::move(e));
  } else if (e.selected.empty() || same->selected.empty()) {
    same->selected.clear();
  } else {
    for (std::string& path : e.selected) {
      if (std::ranges::find(same->selected, path) == same->selected.end()) {
        same->selected.push_back(path);
      }
    }
  }
}

Result<std::vector<Environment>> by_default(const Surroundings& around) {
  if (!around.virtual_env.empty()) {
    if (!is_folder(around.virtual_env)) {
      return fail(ErrorCode::no_such_path, "VIRTUAL_ENV names a folder that is not there",
                  around.virtual_env);
    }
    return of_prefix(read_prefix(around.virtual_env), around);
  }
  for (const char* name : {"python3", "python"}) {
    auto prefix = prefix_of_interpreter(name, around);
    if (prefix) return of_prefix(*prefix, around);
    if (prefix.error().code != ErrorCode::no_such_path) return std::unexpected(prefix.error());
  }
  return fail(ErrorCode::nothing_to_audit,
              "no path was given, VIRTUAL_ENV is not set, and PATH has no python3");
}

}  // namespace

std::optional<std::uint32_t> Environment::site_of(std::string_view path) const {
  std::optional<std::uint32_t> deepest;
  for (std::uint32_t i = 0; i < sites.size(); ++i) {
    if (!is_within(path, sites[i].path)) continue;
    if (!deepest || sites[i].path.size() > sites[*deepest].path.size()) deepest = i;
  }
  return deepest;
}

const Distribution* Environment::find(std::string_view name) const {
  auto at = std::ranges::find(distributions, name, &Distribution::name);
  return at == distributions.end() ? nullptr : &*at;
}

Environment environment_of_site(const std::string& site_path) {
  Surroundings nothing;
  Builder builder(nothing);
  builder.add_folder(site_path);
  return builder.finish();
}

Result<std::vector<Environment>> discover(const Query& query, const Surroundings& around) {
  if (query.paths.empty() && query.python.empty()) return by_default(around);
  if (query.paths.empty()) {
    auto prefix = prefix_of_interpreter(query.python, around);
    if (!prefix) return std::unexpected(prefix.error());
    return of_prefix(*prefix, around);
  }
  // Who names folders means these; PYTHONPATH belongs to the shell's own interpreter.
  Surroundings named = around;
  named.python_path.clear();
  std::vector<Environment> all;
  for (const std::string& path : query.paths) {
    auto place = locate(path, named);
    if (!place) return std::unexpected(place.error());
    auto found = of_place(*place, named);
    if (!found) return std::unexpected(found.error());
    for (Environment& e : *found) merge(all, std::move(e));
  }
  return all;
}

}  // namespace ungate::package
