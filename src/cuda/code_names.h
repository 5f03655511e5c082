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

// Whether a text may hold one: a literal ends in `_sm90`, `-sm_100f`, `.cubin` or the like.
bool may_hold_code_names(std::string_view text);

// Texts without blanks that end in a code target ("…_schedS_sm100f") or name a cubin file that holds
// one ("…_sm100_….cubin"), in source order. Literals in a row are one text.
std::vector<CodeName> code_names(std::string_view text, const Directives& directives,
                                 const Structure& structure);

}  // namespace ungate::cuda
