// Which gates of an audit a step means, and how a gate stands to devices.
#pragma once

#include <string>
#include <vector>

#include "gate/gate.h"
#include "patch/patch_set.h"
#include "source/source_file.h"

namespace ungate::patch {

struct GateMatch {
  std::vector<const gate::Gate*> gates;  // in the order of the file; empty: none fits
  bool ambiguous = false;                // several fit, and one is meant
  std::string where, why;                // if none, or ambiguous: the nearest place, what is wrong
};

// `file` is the text of the pattern's file in a site: a copy in another site is not meant. `every`
// takes all gates that fit.
GateMatch match_gates(const std::vector<gate::Gate>& gates, const GatePattern& pattern,
                      std::uint32_t site, const source::SourceFile& file, bool every);

// Whether a gate is like the pattern, wherever in the file it stands (`before` is not looked at).
bool fits(const gate::Gate& gate, const GatePattern& pattern);

// "path:line".
std::string place_of(const gate::Gate& gate);

// Whether a gate lets a device in: certainly, or for some value of what else decides
// (`conditions`). The gate must have been judged for it.
bool lets_in(const gate::Gate& gate, arch::Device device);
bool lets_in(const gate::Gate& gate, arch::DeviceSet devices);
// Its standing to a device; nullptr if it was not judged for it.
const gate::Standing* standing_of(const gate::Gate& gate, arch::Device device);

}  // namespace ungate::patch
