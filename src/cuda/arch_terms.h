// Spelling sets of code targets as preprocessor conditions.
#pragma once

#include <string>

#include "arch/device.h"

namespace ungate::cuda {

// "__CUDA_ARCH__ == 1200 || __CUDA_ARCH__ == 1210": each device of the targets.
std::string equal_terms(arch::CodeTargetSet targets);
// "__CUDA_ARCH__ / 100 == 12": the families of the targets' devices.
std::string family_terms(arch::CodeTargetSet targets);
// "defined(__CUDA_ARCH_FEAT_SM120_ALL)": as narrow as the suffixes of the targets allow.
std::string feature_terms(arch::CodeTargetSet targets);
// "__CUDA_ARCH__ != 1200 && …": none of the devices.
std::string unequal_terms(arch::CodeTargetSet targets);

// All code targets of the devices with the same major version as one of the targets.
arch::CodeTargetSet family_of(arch::CodeTargetSet targets);

}  // namespace ungate::cuda
