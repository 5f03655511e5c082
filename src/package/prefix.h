// Prefixes: the folder that an interpreter installs into (a virtual environment, a conda
// environment, /usr), found without running it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ungate::package {

// What the process's surroundings decide; tests give their own.
struct Surroundings {
  std::string working_folder;
  std::string path;           // PATH
  std::string home;           // HOME
  std::string virtual_env;    // VIRTUAL_ENV
  std::string python_path;    // PYTHONPATH
  std::string pyenv_version;  // PYENV_VERSION
  bool no_user_site = false;  // PYTHONNOUSERSITE

  static Surroundings of_process();
};

struct Prefix {
  std::string path;            // symbolic links resolved
  std::string python_version;  // "3.11"; empty: not known
  bool virtual_environment = false;  // has pyvenv.cfg
  bool system_site = false;    // ... with include-system-site-packages
  std::string base;            // ... made from the interpreter of this prefix; may be empty
};

// What pyvenv.cfg in `folder` says; a prefix without one is returned with its path only.
Prefix read_prefix(const std::string& folder);

// True for a folder that holds pyvenv.cfg or conda-meta: it is one environment and can be thrown
// away.
bool is_environment(const std::string& folder);

// The prefix of an interpreter given as a path or a name on PATH. As CPython does: pyvenv.cfg
// beside the executable or in the folder above; only then are its symbolic links followed. A pyenv
// shim is followed to the version that pyenv would choose; any other script is refused.
Result<Prefix> prefix_of_interpreter(const std::string& executable, const Surroundings& around);

// "3.11", "3.12": those for which the prefix has a site-packages or dist-packages folder, newest
// first.
std::vector<std::string> python_versions(const std::string& prefix);

// The site-packages and dist-packages folders of a prefix, in import order, links resolved, each
// once. An empty version gives the folders without one (Debian's lib/python3/dist-packages).
std::vector<std::string> site_folders(const std::string& prefix, std::string_view python_version);

}  // namespace ungate::package
