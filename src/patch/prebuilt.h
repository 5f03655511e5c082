// Prebuilt modules: code objects that a package ships, or that another package ships for it, and
// that are loaded instead of what an edited source would be built into.
#pragma once

#include <string>
#include <vector>

#include "package/environment.h"

namespace ungate::patch {

struct PrebuiltRule {
  std::string package;             // who ships it, normalised: "flashinfer-jit-cache"
  // Files or folders below a site; `*` and `?` within a name, `{module}` is a touched module. A
  // path without `{module}` stands for every module.
  std::vector<std::string> paths;  // "flashinfer_jit_cache/jit_cache/{module}/{module}.so"
};

struct Prebuilt {
  std::string package, version;    // version empty if no distribution of that name is there
  std::string module;              // empty if it stands for every module
  std::string path;                // absolute
};

// What is there in any site, sorted by path.
std::vector<Prebuilt> find_prebuilt(const package::Environment& environment,
                                    const std::vector<PrebuiltRule>& rules,
                                    const std::vector<std::string>& modules);

}  // namespace ungate::patch
