// Where the sources of the bundled kernels are.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "prove/compiler.h"

namespace ungate::kernels {

struct Sources {
  std::string folder;              // holds include/arf.h
  std::vector<std::string> files;  // all of them, relative, sorted
};

// The folder that UNGATE_KERNELS names, else the one that was installed beside this program, else
// that of the tree it was built from. `not_found` if there is none.
Result<Sources> find_sources(const prove::Variable& variable);

// Changes whenever a source does.
Result<std::string> fingerprint(const Sources& sources);

}  // namespace ungate::kernels
