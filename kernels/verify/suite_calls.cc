// Suites of calls that must succeed.
#include <cstdio>
#include <random>

#include "verify/numbers.h"
#include "verify/suite.h"

namespace arf::verify {
namespace {

// Whether a row of this many bytes can be split so.
bool possible(const Problem& p, const Manner& m) {
  const int packs = p.hidden * (p.dtype == ARF_FP32 ? 4 : 2) / 16;
  const int share = m.cluster * m.packs;
  return share == 0 || ((packs + share - 1) / share + 31) / 32 * 32 <= 512;
}

}  // namespace

void run_matrix(const Options& o, Score& s) {
  const std::vector<int> hiddens =
      o.quick ? std::vector<int>{128, 2880, 4096, 7168}
              : std::vector<int>{128, 1440, 2880, 4096, 4104, 5120, 7168, 8192, 16384};
  const std::vector<int> tokens = o.quick ? std::vector<int>{1, 3, 16, 129}
                                          : std::vector<int>{1, 2, 3, 7, 8, 16, 33, 64, 128, 257};
  for (const int dtype : o.dtypes) {
    Rig rig(o.devices, config_for(o, tokens.back(), hiddens.back(), dtype));
    Problem p;
    p.world = rig.world();
    p.dtype = dtype;
    p.seed = o.seed;
    for (const int hidden : hiddens)
      for (const int t : tokens)
        for (const int algorithm : algorithms(rig.world()))
          for (const int pattern : {ARF_ALLREDUCE, ARF_RESIDUAL_RMSNORM}) {
            p.hidden = hidden;
            p.tokens = t;
            p.pattern = pattern;
            Manner m;
            m.algorithm = algorithm;
            p.call++;
            one(rig, p, m, s);
            if (t != 3 && t != 129 && t != 33) continue;
            for (const int cluster : {1, 2, 4, 8})
              for (const int packs : {1, 2}) {
                m.cluster = cluster;
                m.packs = packs;
                m.max_units = t > 8 ? 5 : 0;
                p.call++;
                if (!possible(p, m)) continue;
                one(rig, p, m, s);
              }
          }
    if (rig.elements > 0)
      std::printf(
          "  norm_out off its double-precision value: %.4f %% of %llu elements, by %u steps at "
          "most\n",
          100.0 * static_cast<double>(rig.inexact) / static_cast<double>(rig.elements),
          static_cast<unsigned long long>(rig.elements), rig.most_steps);
  }
}

void run_data(const Options& o, Score& s) {
  for (const int dtype : o.dtypes) {
    Rig rig(o.devices, config_for(o, 64, 4096, dtype));
    Problem p;
    p.world = rig.world();
    p.dtype = dtype;
    p.hidden = 4096;
    p.seed = o.seed + 1;
    for (const Data data : {Data::wide, Data::integers, Data::special})
      for (const int algorithm : algorithms(rig.world()))
        for (const int pattern : {ARF_ALLREDUCE, ARF_RESIDUAL_RMSNORM})
          for (const int flags : {0, 1, 2, 3}) {
            p.data = data;
            p.pattern = pattern;
            p.tokens = flags == 1 ? 5 : 64;
            p.weight_bias = flags == 2 ? 1.0f : 0.0f;
            p.call++;
            Manner m;
            m.algorithm = algorithm;
            m.in_place = (flags & 1) != 0;
            m.pdl = (flags & 2) != 0;
            one(rig, p, m, s);
          }
  }
}

void run_quantised(const Options& o, Score& s) {
  const std::vector<int> hiddens = o.quick ? std::vector<int>{256, 2880, 7168}
                                           : std::vector<int>{256, 1024, 2880, 4096, 7168, 8192};
  const std::vector<int> tokens =
      o.quick ? std::vector<int>{1, 33, 130} : std::vector<int>{1, 3, 16, 33, 128, 257};
  for (const int dtype : o.dtypes) {
    if (dtype == ARF_FP32) {
      s.skipped = "fp32 is not quantised";
      continue;
    }
    Rig rig(o.devices, config_for(o, tokens.back(), hiddens.back(), dtype));
    Problem p;
    p.world = rig.world();
    p.dtype = dtype;
    p.seed = o.seed + 6;
    for (const int pattern : {2, 3, 4, 5, 8, 9, 10, 11})
      for (const int hidden : hiddens)
        for (const int t : tokens)
          for (const int algorithm : algorithms(rig.world())) {
            p.pattern = pattern;
            p.hidden = hidden;
            p.tokens = t;
            p.call++;
            p.data = p.call % 3 == 0 ? Data::special : p.call % 3 == 1 ? Data::normal : Data::wide;
            p.layout = p.call % 2 == 0 ? ARF_SCALES_LINEAR : ARF_SCALES_SWIZZLED_128X4;
            constexpr int kGroups[] = {128, 64, 32, 16, 256};
            do p.group_size = kGroups[(p.call / 2) % 5];
            while (hidden % p.group_size != 0 && ++p.call);
            Manner m;
            m.algorithm = algorithm;
            m.pdl = p.call % 2 == 0;
            m.in_place = p.call % 5 == 0;
            m.cluster = p.call % 7 == 0 ? 4 : 0;
            if (t > 8 && p.call % 2 == 0) m.max_units = 5;
            one(rig, p, m, s);
          }
  }
}

void run_soak(const Options& o, Score& s) {
  Rig rig(o.devices, config_for(o, 96, 4096, o.dtypes.back()));
  std::mt19937_64 random(o.seed + 3);
  const auto pick = [&random](auto list) { return list[random() % list.size()]; };
  const int calls = o.quick ? 150 : 10000;
  for (int i = 0; i < calls; i++) {
    Problem p;
    p.world = rig.world();
    p.seed = o.seed + 3;
    p.call = static_cast<uint32_t>(i);
    p.dtype = pick(o.dtypes);
    p.pattern = p.dtype == ARF_FP32 ? pick(std::vector<int>{0, 1})
                                    : pick(std::vector<int>{0, 1, 1, 2, 3, 4, 5, 8, 9, 10, 11});
    p.hidden = pick(std::vector<int>{64, 512, 1440, 2048, 4096});
    p.group_size = p.hidden % 128 == 0 ? 128 : 32;
    p.layout = static_cast<int>(random() % 2);
    p.tokens = pick(std::vector<int>{1, 1, 2, 3, 5, 8, 17, 33, i % 50 == 0 ? 96 : 9});
    Manner m;
    m.algorithm = random() % 4 == 0 ? ARF_AUTO : pick(algorithms(rig.world()));
    m.cluster = pick(std::vector<int>{0, 0, 1, 2, 4});
    m.packs = m.cluster == 0 ? 0 : pick(std::vector<int>{0, 2});
    m.pdl = random() % 2 == 0;
    m.in_place = random() % 2 == 0;
    m.max_units = random() % 3 == 0 ? 4 : 0;
    if (!possible(p, m)) m.cluster = 0, m.packs = 0;
    one(rig, p, m, s);
  }
}

}  // namespace arf::verify
