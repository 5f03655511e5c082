#include "verify/reference.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "pattern.h"
#include "verify/experts.h"
#include "verify/numbers.h"
#include "verify/parallel.h"

namespace arf::verify {
namespace {

void put(Bytes& t, int dtype, uint64_t index, uint32_t bits) {
  const auto size = static_cast<uint64_t>(size_of(dtype));
  std::memcpy(t.data() + index * size, &bits, size);
}

// Keeps the difference with the lowest index.
class Tally {
 public:
  void wrong(uint64_t index, uint32_t got, uint32_t want) {
    const std::lock_guard lock(mutex_);
    if (total_.wrong == 0 || index < total_.first) {
      total_.first = index;
      total_.got = got;
      total_.want = want;
    }
    total_.wrong++;
  }
  void inexact(uint64_t n, uint32_t most_steps) {
    const std::lock_guard lock(mutex_);
    total_.inexact += n;
    total_.most_steps = std::max(total_.most_steps, most_steps);
  }
  Difference total() const { return total_; }

 private:
  std::mutex mutex_;
  Difference total_;
};

}  // namespace

Inputs make_inputs(const Problem& p) {
  Inputs in;
  for (int r = 0; r < p.world; r++) {
    if (is_moe(p.pattern)) {
      in.in.push_back(sum_experts(p, make_experts(p, r)));
      continue;
    }
    in.in.push_back(
        tensor(p.data, p.dtype, p.seed, p.call, static_cast<uint32_t>(r), p.elements()));
  }
  if (p.pattern != ARF_ALLREDUCE) {
    in.residual = tensor(p.data, p.dtype, p.seed, p.call, kResidualRank, p.elements());
    in.gamma = tensor(p.data, p.dtype, p.seed, p.call, kGammaRank, static_cast<uint64_t>(p.hidden));
  }
  return in;
}

Expected expect(const Problem& p, const Inputs& in) {
  Expected e;
  const auto bytes = p.elements() * static_cast<uint64_t>(size_of(p.dtype));
  e.sum.resize(bytes);
  if (p.pattern != ARF_ALLREDUCE) e.residual_out.resize(bytes);
  std::atomic<uint64_t> off{0};
  in_parallel(p.elements(), [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; i++) {
      float x[ARF_MAX_WORLD];
      double exact = 0, absolute = 0;
      for (int r = 0; r < p.world; r++) {
        x[r] = to_float(p.dtype, get(in.in[static_cast<size_t>(r)], p.dtype, i));
        exact += x[r];
        absolute += std::fabs(x[r]);
      }
      for (int width = 1; width < p.world; width *= 2)
        for (int r = 0; r < p.world; r += 2 * width) x[r] = x[r] + x[r + width];
      const uint32_t sum = to_bits(p.dtype, x[0]);
      put(e.sum, p.dtype, i, sum);
      const float rounded = to_float(p.dtype, sum);
      const double bound = absolute * 3 * 0x1p-24 + half_step(p.dtype, exact) * 1.01;
      if (std::isfinite(rounded) && std::fabs(rounded - exact) > bound) off++;
      if (p.pattern != ARF_ALLREDUCE)
        put(e.residual_out, p.dtype, i,
            to_bits(p.dtype, rounded + to_float(p.dtype, get(in.residual, p.dtype, i))));
    }
  });
  e.off_bound = off;
  return e;
}

Difference compare_exact(int dtype, const Bytes& got, const Bytes& want) {
  const auto size = static_cast<uint64_t>(size_of(dtype));
  Tally tally;
  in_parallel(want.size() / size, [&](uint64_t begin, uint64_t end) {
    if (std::memcmp(got.data() + begin * size, want.data() + begin * size, (end - begin) * size) ==
        0)
      return;
    for (uint64_t i = begin; i < end; i++) {
      const uint32_t g = get(got, dtype, i), w = get(want, dtype, i);
      if (g != w && !(std::isnan(to_float(dtype, g)) && std::isnan(to_float(dtype, w))))
        tally.wrong(i, g, w);
    }
  });
  return tally.total();
}

float scale_factor_of(const Problem& p) {
  const auto step = static_cast<float>(1 + p.call % 5);
  return quantiser_of(p.pattern) == kFp4 ? 97.0f * step : 0.0037f * step;
}

double max_inexact(int dtype) {
  return dtype == ARF_BF16 ? 0.005 : dtype == ARF_FP16 ? 0.02 : 1.0;
}

Difference compare_norm(const Problem& p, const Bytes& norm_out, const Bytes& residual_out,
                        const Bytes& gamma) {
  const auto hidden = static_cast<uint64_t>(p.hidden);
  const uint32_t allowed = p.dtype == ARF_FP32 ? 64 : 1;
  Tally tally;
  in_parallel(static_cast<uint64_t>(p.tokens), [&](uint64_t begin, uint64_t end) {
    uint64_t inexact = 0;
    uint32_t most_steps = 0;
    for (uint64_t row = begin; row < end; row++) {
      double squares = 0;
      for (uint64_t i = 0; i < hidden; i++) {
        const double h = to_float(p.dtype, get(residual_out, p.dtype, row * hidden + i));
        squares += h * h;
      }
      // Beyond fp32, give or take the error of summation; within it, either is right.
      const bool overflows = squares > std::numeric_limits<float>::max() * (1 + 0x1p-17);
      const bool may_overflow = squares > std::numeric_limits<float>::max() * (1 - 0x1p-17);
      const double scale =
          overflows
              ? 0
              : 1 / std::sqrt(squares / static_cast<double>(p.hidden) + static_cast<double>(p.eps));
      for (uint64_t i = 0; i < hidden; i++) {
        const uint64_t at = row * hidden + i;
        const double h = to_float(p.dtype, get(residual_out, p.dtype, at));
        const double g =
            to_float(p.dtype, get(gamma, p.dtype, i)) + static_cast<double>(p.weight_bias);
        const uint32_t want = to_bits(p.dtype, static_cast<float>(h * scale * g));
        const uint32_t got = get(norm_out, p.dtype, at);
        const uint32_t steps = steps_between(p.dtype, got, want);
        const bool zero = may_overflow && to_float(p.dtype, got) == 0;
        if (steps > allowed && !zero)
          tally.wrong(at, got, want);
        else if (steps != 0 && !zero)
          inexact++, most_steps = std::max(most_steps, steps);
      }
    }
    tally.inexact(inexact, most_steps);
  });
  return tally.total();
}

}  // namespace arf::verify
