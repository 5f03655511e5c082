// Puts an Environment together, site by site, in import order.
#pragma once

#include <string>
#include <string_view>

#include "package/environment.h"

namespace ungate::package {

class Builder {
 public:
  explicit Builder(const Surroundings& around) : around_(around) {}

  // PYTHONPATH, the prefix's sites with their .pth folders, and, where the interpreter would look
  // there, the user's site and those of the base interpreter. False if the prefix itself has no
  // site, or only empty ones.
  bool add_prefix(const Prefix& prefix, const std::string& python_version);
  // A site that the user named, with the folders of its .pth files if it is a site-packages folder.
  void add_named_site(const std::string& path);
  void add_checkout(const std::string& path);
  void add_folder(const std::string& path);

  // Reads the distributions and adds the sources of editable installs, which Python searches last.
  Environment finish();

 private:
  void add(const std::string& path, SiteKind kind, const std::string& from = {});
  // The import roots of sources, which keep their state in one place.
  void add_sources(const std::string& folder, SiteKind kind, const std::string& from = {});
  void add_with_pth(const std::string& path, SiteKind kind);
  void add_editable_sources();

  const Surroundings& around_;
  Environment environment_;
};

}  // namespace ungate::package
