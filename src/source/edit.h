// Edits of a file's bytes, and how they are shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "source/source_file.h"

namespace ungate::source {

// Replace `range` of the original bytes, which must read `before`, by `after`.
struct Edit {
  Range range;
  std::string before, after;
  bool operator==(const Edit&) const = default;
};

// Applies edits in one pass. They are given in any order, over the original bytes, and must not
// overlap; two insertions at one place keep their order. `does_not_fit` names the edit that fails.
Result<std::string> apply_edits(std::string_view original, std::vector<Edit> edits,
                                std::string_view path);

// A unified diff with `context` lines, headed `--- a/path` and `+++ b/path`; empty if both are equal.
// It can be applied with patch(1) or git apply.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view path,
                         int context = 3);

}  // namespace ungate::source
