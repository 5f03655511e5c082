// Unified diffs (.patch files of a patch set) as text edits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "patch/patch_set.h"

namespace ungate::rules {

// One edit a hunk: its old lines, context included, are the text to be found, its new lines what it
// becomes. Names lose a leading "a/" or "b/", time stamps are dropped.
struct Hunk {
  patch::TextEdit edit;
  std::size_t line = 0;  // of the old file, by which a text is told from others like it; from 1
};

// `bad_rule` with file:line for what is no such diff, for files that are created, removed or
// renamed, and for hunks without any context (they could be found anywhere).
Result<std::vector<Hunk>> read_diff(std::string_view text, const std::string& file);

}  // namespace ungate::rules
