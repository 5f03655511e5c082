// Sites: the folders that Python searches for packages (import roots).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "package/distribution.h"

namespace ungate::package {

enum class SiteKind {
  site_packages,  // of the environment itself
  user,           // ~/.local/lib/python3.11/site-packages
  base,           // of the interpreter that a virtual environment was made from
  target,         // a folder that `pip install --target` filled
  pth,            // added by a .pth file
  editable,       // the sources of an editable install
  python_path,    // of PYTHONPATH
  checkout,       // sources that are not installed
  folder          // any other folder
};
std::string_view name_of(SiteKind kind);

struct Site {
  std::string path;   // absolute, links resolved
  std::string root;   // where state about it is kept; see state_root()
  SiteKind kind = SiteKind::folder;
  std::string from;   // the .pth or direct_url.json that added it, else empty
};

// Where ungate keeps its state about files below `site_path` (in `<root>/.ungate`): the nearest
// folder, the site or above, that holds pyvenv.cfg or conda-meta, else the site itself. (The sites
// of one checkout share its top folder instead, see Site::root.)
std::string state_root(const std::string& site_path);

// True if the folder holds a *.dist-info, or is called site-packages or dist-packages.
bool is_installed_site(const std::string& folder);

// True if it looks like the top of sources: .git, pyproject.toml, setup.py or setup.cfg.
bool is_checkout(const std::string& folder);

struct PthFolder {
  std::string path;  // absolute, links resolved
  std::string from;  // the .pth file
};
// The folders that the .pth files of a site add, in order. Lines that run code are not run; they
// and folders that cannot be used are noted.
std::vector<PthFolder> pth_folders(const std::string& site_path, std::vector<Note>& notes);

// The import roots of a source checkout: its `python` and `src` folders if they hold packages, then
// itself.
std::vector<std::string> checkout_roots(const std::string& folder);

// The import root of a file or package folder that belongs to no site: the first folder above it
// that is not a package itself.
std::string import_root(const std::string& path);

}  // namespace ungate::package
