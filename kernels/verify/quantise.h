// What the quantised outputs of a call must be, bit for bit, computed on the host from its norm.
#pragma once

#include "verify/reference.h"

namespace arf::verify {

struct Quantised {
  Bytes codes, scales;
};

// `norm` is the norm_out that the call has or would have given; `scale_factor` as in arf_params.
Quantised quantise(const Problem& p, const Bytes& norm, float scale_factor);

// The number formats; every function rounds to nearest even.
uint32_t to_e4m3(float f);  // beyond 448 it is 448; NaN is 0x7f
float from_e4m3(uint32_t code);
uint32_t to_e2m1(float f);  // beyond 6 it is 6; NaN is +6

}  // namespace arf::verify
