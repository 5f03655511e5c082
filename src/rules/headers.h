// rules/headers.yaml.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace ungate::rules {

// Adds (how a header's name begins, the distribution that has it) in front of what is there.
Status load_headers(std::string_view text, const std::string& file,
                    std::vector<std::pair<std::string, std::string>>& into);

}  // namespace ungate::rules
