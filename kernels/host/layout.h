// Where things lie in a rank's memory (see call.h), computed alike by every rank from the
// configuration.
#pragma once

#include "call.h"

namespace arf {

int element_size(int dtype);

// Largest one-shot call by default: beyond it the inbox would cost more memory than it is worth.
uint64_t default_oneshot_bytes(int world);

Layout make_layout(int world, const arf_config& config);

}  // namespace arf
