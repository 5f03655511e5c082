// Lifts of run-time tests in C++ (internal).
#pragma once

#include "gate/item.h"
#include "source/source_file.h"

namespace ungate::gate {

//   major == 9        major == 9 || major == 12 (in parentheses)
//   sm < 120          sm < 130
//   case 90:          case 90: case 120:
// Other spellings have no edit of their own; the lift says so.
Lift lift_host(const Item& item, const source::SourceFile& file, arch::Device target);

}  // namespace ungate::gate
