// One logical line of the preprocessor: what read_directives finds after a '#' that starts its
// line.
#pragma once

#include <string_view>
#include <vector>

#include "cuda/directives.h"

namespace ungate::cuda {

// Reads the directive whose '#' is at `hash`: kind, range and operand.
Directive read_directive_line(std::string_view text, std::size_t hash,
                              std::vector<Problem>& problems);

// Reads name, parameters and body of a #define; false if it has no name.
bool read_define(std::string_view text, source::Range operand, Define& out,
                 std::vector<Problem>& problems);

// The arm of the file's include guard, or kNone.
std::uint32_t find_guard_arm(std::string_view text, const Directives& directives);

}  // namespace ungate::cuda
