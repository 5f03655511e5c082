// arf_finish(): what follows a sum that something else has made.
#include "verify/suite.h"

namespace arf::verify {
namespace {

bool same(const Outputs& a, const Outputs& b) {
  return a.residual == b.residual && a.norm == b.norm && a.codes == b.codes && a.scales == b.scales;
}

// The fused call leaves the same bytes as arf_finish() of the sum.
std::string compare(Rig& rig, const Problem& p, const Manner& m) {
  Inputs in = make_inputs(p);
  rig.load(p, in);
  if (int e = rig.launch(p, m)) return std::string("arf_launch: ") + arf_strerror(e);
  rig.synchronise();
  if (std::string f = rig.failure(); !f.empty()) return f;
  bool broken = false;
  const Outputs fused = rig.outputs(p, m, 0, broken);
  const Bytes sum = expect(p, in).sum;
  for (Bytes& t : in.in) t = sum;
  rig.load(p, in);
  for (int r = 0; r < rig.world(); r++) {
    Rank& k = rig.rank(r);
    cuda_or_exit(cudaSetDevice(k.device), "cudaSetDevice");
    const arf_params a = rig.params(p, m, r);
    if (int e = arf_finish(&a, k.stream)) return std::string("arf_finish: ") + arf_strerror(e);
  }
  rig.synchronise();
  for (int r = 0; r < rig.world(); r++) {
    const Outputs own = rig.outputs(p, m, r, broken);
    if (broken) return "a guard band is overwritten";
    if (!same(own, fused)) return "not what the fused call gives";
  }
  return {};
}

}  // namespace

void run_finish(const Options& o, Score& s) {
  for (const int dtype : o.dtypes) {
    Rig rig(o.devices, config_for(o, 257, 16384, dtype));
    Problem p;
    p.world = rig.world();
    p.dtype = dtype;
    p.seed = o.seed + 7;
    for (const int pattern : {1, 2, 3, 4, 5, 8, 9, 10, 11})
      for (const int hidden : {256, 2880, 7168, 16384})
        for (const int tokens : {1, 257}) {
          if (dtype == ARF_FP32 && pattern != ARF_RESIDUAL_RMSNORM) continue;
          p.pattern = pattern;
          p.hidden = hidden;
          p.tokens = tokens;
          p.group_size = hidden % 128 == 0 ? 128 : 64;
          p.data = p.call % 2 == 0 ? Data::special : Data::wide;
          p.call++;
          Manner m;
          m.pdl = p.call % 3 == 0;
          m.in_place = p.call % 5 == 0;
          const std::string name = "finish: " + describe(p, m);
          progress(name);
          s.add(name, compare(rig, p, m));
        }
  }
}

}  // namespace arf::verify
