// "Did you mean …?"
#pragma once

#include <string>
#include <vector>

namespace ungate::cli {

// The name that differs least from what was typed; empty if none is close.
std::string nearest(const std::string& typed, const std::vector<std::string>& names);

}  // namespace ungate::cli
