// Environments: which folders Python would import from, and what is installed there. Nothing is
// run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "package/distribution.h"
#include "package/prefix.h"
#include "package/site.h"

namespace ungate::package {

// The import roots that belong together, in import order.
struct Environment {
  std::string prefix;          // links resolved; empty if only folders were named
  std::string python_version;  // "3.11"; empty: not known
  // A site may lie inside another (a checkout's `src`, a folder of a .pth file): a file belongs to
  // the deepest site that holds it, see site_of().
  std::vector<Site> sites;
  // What the user named within the sites, absolute; empty: everything.
  std::vector<std::string> selected;
  std::vector<Distribution> distributions;  // by site, then name
  std::vector<Note> notes;                  // what was not read or not followed

  // What reports call it: its prefix, else its first site.
  const std::string& title() const { return prefix.empty() && !sites.empty() ? sites.front().path : prefix; }

  // The deepest site that holds an absolute path.
  std::optional<std::uint32_t> site_of(std::string_view path) const;
  // The first distribution of that (normalised) name in import order, or nullptr.
  const Distribution* find(std::string_view name) const;
};

struct Query {
  // Each a virtual or conda environment, a site-packages or `pip install --target` folder, a
  // package folder or file inside one, a source checkout, or any other folder or file of sources.
  std::vector<std::string> paths;
  // An interpreter (path or name), asked when no path is given.
  std::string python;
};

// The environments that a query names: by its paths, else its interpreter, else VIRTUAL_ENV, else
// python3 on PATH. At least one; paths into one environment give it once. A prefix with
// site-packages folders of several Python versions gives one environment each.
//
// Errors name the path: `no_such_path`, `unreadable` (permission, a loop of links) and
// `nothing_to_audit` (an empty folder, a prefix without site-packages, no Python at all).
Result<std::vector<Environment>> discover(const Query& query, const Surroundings& around);

// One site alone, with its distributions: to ask who owns a file in it.
Environment environment_of_site(const std::string& site_path);

}  // namespace ungate::package
