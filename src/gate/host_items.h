// Gates in host code of C++: run-time tests of the device, and names of code compiled for one (internal).
#pragma once

#include "gate/analysis.h"
#include "gate/item.h"

namespace ungate::gate {

// Reads `files`, then those that name a function or field that turned out to depend on the device. Choices
// that shut none of the targets out are left out unless `open_too`.
// Bytes of a file: longer ones are written by programs (bindings, tables) and decide nothing.
inline constexpr std::size_t kLongestHostFile = 1 << 20;

std::vector<Item> host_items(const Inputs& in);

Effect effect_of_host(const Item& item);

// What the arm that is served names that a device lacks: architecture tags of CUTLASS, instructions, intrinsics.
std::vector<Evidence> lacking_in_arm(const Item& item, const std::vector<Feature>& features, CudaFiles& files,
                                     arch::Device target);

}  // namespace ungate::gate
