// The edits of Python's spellings of a gate (internal). One function a spelling.
#pragma once

#include "gate/item.h"

namespace ungate::gate {

// A lift without edits says in `refused` why its spelling has none.
Lift lift_python(const Item& item, const source::SourceFile& file, arch::Device target);

}  // namespace ungate::gate
