// What experts gave a rank's tokens, in patterns 6 and 7, and what they sum to.
#pragma once

#include "verify/reference.h"

namespace arf::verify {

constexpr int kMostExperts = 4;  // of a token

// The tensors of arf_params, as bytes; empty where the call leaves one out.
struct Experts {
  Bytes experts, scales, rows, shared;
  int count = 0;
  float routed_scale = 1;
};

// Different for every call and rank; some tokens of pattern 7 have fewer experts than others.
Experts make_experts(const Problem& p, int rank);

// The rank's input to the sum: every product and every sum rounded, in the order of the experts.
Bytes sum_experts(const Problem& p, const Experts& e);

}  // namespace arf::verify
