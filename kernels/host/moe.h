// What comes before the sum in patterns 6 and 7.
#pragma once

#include <cuda_runtime_api.h>

#include "arf.h"

namespace arf {

// Computes the call's input from its experts into `out`; an error code if it cannot be launched.
int launch_moe_input(const arf_params& p, void* out, bool early, cudaStream_t stream);

}  // namespace arf
