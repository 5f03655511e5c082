// Where the text that an edit replaces stands in a file, and where it would have stood if it does
// not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "patch/patch_set.h"
#include "source/source_file.h"

namespace ungate::patch {

struct Anchor {
  enum class Found : std::uint8_t {
    once,      // `range` is to be replaced
    in_place,  // the new text stands there already, and the old one nowhere else
    several,   // `lines`
    missing    // `line` is the nearest place (0: there is none), `why` what differs there
  };
  Found found = Found::missing;
  source::Range range;
  std::vector<std::uint32_t> lines;
  std::uint32_t line = 0;
  std::string why;
};

Anchor find_anchor(const source::SourceFile& file, const TextEdit& edit);

// Offsets of all occurrences, overlapping ones left out.
std::vector<std::uint32_t> occurrences(std::string_view text, std::string_view what);

}  // namespace ungate::patch
