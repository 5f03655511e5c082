// The conditionals of a file whose outcome depends on the device, and what they enclose.
#pragma once

#include <string_view>
#include <vector>

#include "cuda/condition_tree.h"
#include "cuda/preprocess.h"
#include "cuda/structure.h"

namespace ungate::cuda {

enum class Form : std::uint8_t {
  arch_range,     // pp-arch-range: __CUDA_ARCH__ with both bounds
  arch_lower,     // pp-arch-lower
  arch_upper,     // pp-arch-upper
  arch_equal,     // pp-arch-equal: single values
  feature_macro,  // pp-feature-macro: __CUDA_ARCH_FEAT_…, __CUDA_ARCH_SPECIFIC__,
                  // …FAMILY_SPECIFIC__
  macro           // pp-macro: through another macro whose value depends on the device
};
std::string_view name_of(Form form);

enum class Coverage : std::uint8_t {
  whole_body,   // nothing of the function's body stands outside of the chain
  part,         // some of the body
  declaration,  // of the function's declaration
  file_level    // whole declarations
};

// What an arm does.
enum class ArmText : std::uint8_t {
  absent,   // there is no such arm
  nothing,  // no code
  code,
  error,     // #error
  trap,      // asm("trap;") or __trap(), perhaps after a printf
  assertion  // assert or static_assert and nothing else
};

struct Guard {
  std::uint32_t arm = 0;
  Form form = Form::macro;
  Coverage coverage = Coverage::file_level;
  std::uint32_t function = kNone;        // the one it stands in
  std::vector<std::uint32_t> functions;  // at file level: those it encloses
  std::vector<source::Range> waits;      // programmatic dependent launch
  std::vector<source::Range> triggers;
  std::vector<Symbol> instructions;  // of inline assembly inside, each once
  std::vector<Symbol> intrinsics;    // calls that the vocabulary names, each once
  ArmText does = ArmText::nothing;
  ArmText otherwise = ArmText::absent;  // what the #else of the chain does
  // Whether launches of the kernel (function, or the kernels among functions) set the programmatic
  // attribute; `unknown` without a condition if no launch of it was found.
  Setting programmatic;
  std::uint32_t launches = 0;  // how many were found
};

// The guards of one file: every arm of a chain that has an arm whose condition differs between two
// code targets that reach it. `all` are the structures in which to look for launches (with this
// one). `chains`, when given, says which chains of the file are looked at.
std::vector<Guard> find_guards(FileText file, const FileResult& result, const Structure& structure,
                               const Vocabulary& vocabulary,
                               const std::vector<const Structure*>& all,
                               const std::vector<bool>* chains = nullptr);

// The form of a condition: that of the parts which depend on the device.
Form form_of(std::span<const Token> tokens, const ConditionTree& tree, const ArmResult& result);

}  // namespace ungate::cuda
