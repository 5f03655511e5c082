// Copies: one name in several places. Python imports the first in import order; an edit of another
// copy has no effect.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "package/environment.h"

namespace ungate::package {

// One distribution that is installed more than once, in several sites or twice in one (an upgrade
// that was interrupted).
struct Duplicate {
  std::string name;
  std::vector<std::uint32_t> distributions;  // indices; the first is the one that Python finds
};
// Sorted by name.
std::vector<Duplicate> duplicates(const Environment& environment);

// A place from which `import <name>` could be served.
struct Copy {
  std::uint32_t site = 0;
  std::string path;  // absolute: the package folder, module file or extension module
};
// All of them in import order. `name` is the first part of a module name. Folders without
// __init__.py (namespace packages) come last, as for Python they lose to any other copy.
std::vector<Copy> copies_of(const Environment& environment, std::string_view name);

}  // namespace ungate::package
