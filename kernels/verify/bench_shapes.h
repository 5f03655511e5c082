// The launch shapes that a sweep tries.
#pragma once

#include <string>
#include <vector>

#include "verify/rig.h"

namespace arf::verify {

// "oneshot_c2_p1", and what of _w (pause), _u (units) is not left open: what device/choose.py
// reads.
std::string name_of(const Manner& m);

// Every split of a row that is not plainly too wide or too narrow for a call of this size.
std::vector<Manner> splits(int algorithm, int tokens, int hidden);

// The best of them with pauses between polls, or fewer rows at a time.
std::vector<Manner> variations(const Manner& best, int tokens);

// Reads a list of such names ("oneshot_c2_p1_w20,twoshot_c4_p1"); what is no name is left out.
std::vector<Manner> parse_shapes(const std::string& names);

}  // namespace arf::verify
