// Names of compiled kernels in texts: what is loaded by name is built for the target that the name says.
#pragma once

#include <string>
#include <vector>

#include "arch/device.h"
#include "cuda/lexeme.h"
#include "cuda/structure.h"

namespace ungate::cuda {

struct CodeName {
  source::Range range;   // the piece of the literal that names the target
  std::string name;      // the whole text
  arch::CodeTarget target;
  std::uint32_t function = kNone;  // of the structure
};

// What a file holds that has such a text, as a pattern of RE2.
inline constexpr std::string_view kCodeNamePattern = R"([_-]sm_?\d{2,3}[af]?"|\.cubin")";

// Texts without blanks that end in a code target ("…_schedS_sm100f") or name a cubin file that holds
// one ("…_sm100_….cubin"), in source order. Literals in a row are one text.
std::vector<CodeName> code_names(std::string_view text, const Directives& directives,
                                 const Structure& structure);

}  // namespace ungate::cuda
