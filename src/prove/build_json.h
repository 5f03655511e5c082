// Builds and comparisons as they are kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "prove/build.h"

namespace ungate::prove {

std::string to_json(const Build& build);
std::string to_json(const Unchanged& unchanged);
// Nothing if it is none: it is made again then.
std::optional<Build> build_from_json(std::string_view json);
std::optional<Unchanged> unchanged_from_json(std::string_view json);

}  // namespace ungate::prove
