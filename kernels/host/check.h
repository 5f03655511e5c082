// Checks a call before anything is launched.
#pragma once

#include "arf.h"

struct arf_comm;

namespace arf {

// ARF_OK, or what is wrong with the call.
int check_params(const arf_comm& comm, const arf_params& p);

}  // namespace arf
