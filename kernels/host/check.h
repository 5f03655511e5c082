// Checks a call before anything is launched.
#pragma once

#include "arf.h"

namespace arf {

// The largest call that there is room for.
struct Limits {
  int tokens, row_packs;
};

// ARF_OK, or what is wrong with the call.
int check_params(const Limits& most, const arf_params& p);

}  // namespace arf
