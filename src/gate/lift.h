// Lifts: the smallest edit after which a gate admits a target (internal).
#pragma once

#include "gate/links.h"

namespace ungate::gate {

// Fills in Standing::lift of every gate that shuts a target out, where its spelling has an edit. What
// comes along is what the edited text admits beyond the target and what was admitted before.
void make_lifts(const Inputs& inputs, std::vector<Item>& items, const std::vector<JitModule>& modules,
                std::map<std::size_t, WalkedModule>& walked);

}  // namespace ungate::gate
