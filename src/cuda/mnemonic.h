// Patterns of mnemonics, as rules/features.yaml writes them.
#pragma once

#include <string_view>

namespace ungate::cuda {

// True if `pattern` fits a beginning of the mnemonic; '*' stands for any characters:
// "mma.sync.*.bf16" fits "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32".
bool fits_mnemonic(std::string_view pattern, std::string_view mnemonic);

}  // namespace ungate::cuda
