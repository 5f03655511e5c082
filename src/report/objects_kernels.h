// Kernels of binaries for people (internal to report/).
#pragma once

#include <string>

#include "report/objects.h"
#include "report/words.h"

namespace ungate::report {

// A paragraph a file whose kernels were looked at: how many there are and what the target meets of
// them; then those that it cannot use, gathered by the name of their template, and for whom they
// were built. Empty if no file has kernels.
std::string kernels_of(const ObjectsOf& of, arch::Device target, const ObjectsStyle& style);

}  // namespace ungate::report
