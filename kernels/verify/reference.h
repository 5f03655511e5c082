// What a call must give, computed on the host, and how far its outputs are from that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arf.h"
#include "verify/data.h"

namespace arf::verify {

// A call, as far as its numbers go.
struct Problem {
  int pattern = 0, dtype = 0, world = 0, tokens = 0, hidden = 0;
  Data data = Data::normal;
  uint64_t seed = 1;
  uint32_t call = 0;
  float eps = 1e-6f, weight_bias = 0;
  int layout = ARF_SCALES_SWIZZLED_128X4, group_size = 128;

  uint64_t elements() const {
    return static_cast<uint64_t>(tokens) * static_cast<uint64_t>(hidden);
  }
};

struct Inputs {
  std::vector<Bytes> in;  // by rank
  Bytes residual, gamma;
};
Inputs make_inputs(const Problem& p);

// The sum in the canonical order and, for patterns with a residual, residual_out: exactly these
// bits.
struct Expected {
  Bytes sum, residual_out;
  // Elements where the sum is off the exact one by more than the derived bound. Must be 0: it
  // checks this reference.
  uint64_t off_bound = 0;
};
Expected expect(const Problem& p, const Inputs& in);

// Differences found in one output tensor.
struct Difference {
  uint64_t wrong = 0;       // elements that may not be like that
  uint64_t inexact = 0;     // within tolerance but not equal
  uint32_t most_steps = 0;  // the largest difference within tolerance
  uint64_t first = 0;       // index of the first wrong one
  uint32_t got = 0, want = 0;
};
// Equal as numbers of the format; NaN equals NaN.
Difference compare_exact(int dtype, const Bytes& got, const Bytes& want);
// norm_out against RMSNorm in double precision of the kernel's own residual_out: at most one step
// off (64 in fp32), and that seldom (max_inexact). The sum of squares is an fp32 number by
// definition, so a row where it overflows must be zero, as far as it is finite.
Difference compare_norm(const Problem& p, const Bytes& norm_out, const Bytes& residual_out,
                        const Bytes& gamma);
double max_inexact(int dtype);

// What the patterns with a given scale get as scale_factor[0]; differs from call to call.
float scale_factor_of(const Problem& p);

}  // namespace arf::verify
