// --assume NAME=VALUE.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "value/free.h"

namespace ungate::cli {

// "env:FOO=1", "macro:FOO=1", "cuda=12.9", else a Python name: "torch.version.hip=None". Values are
// None, True, False, integers and texts; an empty one of env: or macro: means not set.
Result<std::vector<value::World::Entry>> parse_assumptions(const std::vector<std::string>& given);

}  // namespace ungate::cli
