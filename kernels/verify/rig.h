// Ranks on devices of this process, with the tensors of one call each, poisoned and fenced by guard
// bands.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "arf.h"
#include "verify/guarded_tensor.h"
#include "verify/reference.h"

namespace arf::verify {

// Those that can run with so many ranks.
inline std::vector<int> algorithms(int world) {
  std::vector<int> out{ARF_ONESHOT, ARF_TWOSHOT, ARF_PULL};
  if (world == 8) out.push_back(ARF_HIERARCHICAL);
  return out;
}

// How a call is made, beside its numbers.
struct Manner {
  int algorithm = ARF_AUTO, cluster = 0, packs = 0, max_units = 0, pause_ns = 0;
  bool pdl = false;
  bool in_place = false;  // norm_out is in, residual_out is residual_in
};

struct Rank {
  int device = 0;
  arf_comm* comm = nullptr;
  cudaStream_t stream = nullptr;
  GuardedTensor in, residual_in, gamma, scale_factor;
  GuardedTensor out, residual_out, norm_out, quant_out, scale_out;
  GuardedTensor experts, expert_scales, expert_rows, shared;

  std::vector<GuardedTensor*> tensors() {
    return {&in,           &residual_in,   &gamma,      &scale_factor, &out,
            &residual_out, &norm_out,      &quant_out,  &scale_out,    &experts,
            &shared,       &expert_scales, &expert_rows};
  }
};

// What a call left on one rank; empty where the pattern gives none.
struct Outputs {
  Bytes out, residual, norm, codes, scales;
};

class Rig {
 public:
  // Devices by rank; exits with a message if it cannot be made.
  Rig(const std::vector<int>& devices, const arf_config& config);
  // One rank of a communicator whose other ranks are in other processes. Takes over `comm`.
  Rig(int rank, int world, int device, arf_comm* comm, const arf_config& config);
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  int world() const { return world_; }
  Rank& rank(int r) { return ranks_[static_cast<size_t>(r - first_)]; }

  // Writes inputs and poisons outputs of all ranks.
  void load(const Problem& p, const Inputs& in);
  arf_params params(const Problem& p, const Manner& m, int rank);
  // Launches on every rank except `absent`; the first error, if any.
  int launch(const Problem& p, const Manner& m, int absent = -1);
  void synchronise();
  // The outputs of a rank; `broken` is set if a guard band is not as it was.
  Outputs outputs(const Problem& p, const Manner& m, int r, bool& broken);
  // Checks every output of every rank; empty if all is right, else the first thing that is not.
  std::string check(const Problem& p, const Manner& m, const Inputs& in);
  // One call from beginning to end.
  std::string run(const Problem& p, const Manner& m);
  std::string failure();

  uint64_t inexact = 0, elements = 0;  // of norm_out so far
  uint32_t most_steps = 0;

 private:
  // Rank 0's outputs against the references; the other ranks' are the same bytes.
  std::string check_norm(const Problem& p, const Manner& m, const Inputs& in, const Outputs& o);
  std::string check_quantised(const Problem& p, const Bytes& norm, const Outputs& o);

  void allocate(Rank& k, const arf_config& config);
  int end() const { return first_ + static_cast<int>(ranks_.size()); }

  int world_ = 0, first_ = 0;  // this process holds ranks first_ to end()
  std::vector<Rank> ranks_;
};

std::string describe(const Problem& p, const Manner& m);

}  // namespace arf::verify
