// The patterns that begin with a sum over experts.
#include "verify/experts.h"
#include "verify/suite.h"

namespace arf::verify {

void run_experts(const Options& o, Score& s) {
  const std::vector<int> hiddens =
      o.quick ? std::vector<int>{128, 7168} : std::vector<int>{128, 1440, 2880, 4096, 7168, 8192};
  const std::vector<int> tokens =
      o.quick ? std::vector<int>{1, 33} : std::vector<int>{1, 2, 3, 8, 33, 128, 257};
  for (const int dtype : o.dtypes) {
    Rig rig(o.devices, config_for(o, tokens.back(), hiddens.back(), dtype));
    Problem p;
    p.world = rig.world();
    p.dtype = dtype;
    p.seed = o.seed + 8;
    for (const int pattern : {ARF_MOE_REDUCTION, ARF_MOE_FINALIZE})
      for (const int hidden : hiddens)
        for (const int t : tokens)
          for (const int algorithm : algorithms(rig.world())) {
            p.pattern = pattern;
            p.hidden = hidden;
            p.tokens = t;
            p.call++;
            p.data = p.call % 3 == 0 ? Data::special : p.call % 3 == 1 ? Data::normal : Data::wide;
            Manner m;
            m.algorithm = algorithm;
            m.pdl = p.call % 2 == 0;
            one(rig, p, m, s);
          }
  }
}

}  // namespace arf::verify
