// Conditions in code instead of directives: if constexpr over __CUDA_ARCH__ or over traits made
// from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuda/outcome.h"
#include "cuda/predefined.h"

namespace ungate::cuda {

// A C++ trait of the code target, by name: `arch::is_major_v<10>`, `is_match<120>::value`. In the
// host pass every trait is false.
struct ArchTrait {
  enum class Means : std::uint8_t {
    major,       // N is the major version
    arch,        // N is major * 10 + minor
    compatible,  // N is major * 10 + minor of the same major version, and not newer
    at_least     // N is major * 10 + minor, and not newer
  };
  std::string name;
  Means means = Means::major;
};

// How a C++ condition decides on every code target. Names that are neither macros of the target nor
// traits are free (Kind::name), calls are (Kind::call).
Outcomes evaluate_code_condition(std::string_view condition, const std::vector<ArchTrait>& traits,
                                 const value::World& world, Pass pass = Pass::device);

}  // namespace ungate::cuda
