// Gates of Python: choices grouped, named and placed (internal).
#pragma once

#include "gate/item.h"

namespace ungate::gate {

// One item a choice, but one for all operands of an `or`.
std::vector<Item> python_items(const python::Evaluation& evaluation, const python::Program& program);

// The whole condition that a choice is a leaf of, or null.
const python::Condition* condition_of(const python::Evaluation& evaluation, const python::Choice& choice);

// What a device meets at a Python gate that shuts it out.
Effect effect_of(const python::Choice& choice, bool builds_ahead);

}  // namespace ungate::gate
