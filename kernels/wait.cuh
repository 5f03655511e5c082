// Bounded waiting: polls an inbox until the data is there, the time-out has passed, the host aborts
// or this rank has failed elsewhere.
#pragma once

#include "call.h"
#include "format.cuh"

namespace arf {

__device__ __forceinline__ uint32_t* poison_word(const Call& c) {
  return reinterpret_cast<uint32_t*>(c.local + c.layout.poison);
}

// Two words of a row: its count and, once the communicator is poisoned, why. In a line of its own,
// as greetings are: what every warp of every row looks at must not lie in one place.
__device__ __forceinline__ uint32_t* sequence_word(const Call& c, Counter counter, uint32_t row) {
  auto* all = reinterpret_cast<uint32_t*>(c.local + c.layout.sequences);
  return all + (counter * static_cast<uint64_t>(c.layout.rows) + row) * (kLine / sizeof(uint32_t));
}

// Poisons the communicator; the first to do so leaves the record.
__device__ __forceinline__ void fail(const Call& c, uint32_t code, uint32_t peer,
                                     uint32_t algorithm, uint32_t phase, uint32_t row,
                                     uint32_t sequence) {
  if (atomicCAS(poison_word(c), 0u, code) != 0) return;
  for (uint32_t r = 0; r < c.layout.rows; r++)
    store_shared_word(sequence_word(c, kOneShotEnded, r) + 1, code);
  volatile FailureRecord& f = c.host->failure;
  f.code = code;
  f.rank = c.rank;
  f.peer = peer;
  f.algorithm = algorithm;
  f.phase = phase;
  f.row = row;
  f.sequence = sequence;
  __threadfence_system();
  f.complete = 1;
}

// Decides every few hundred polls whether to go on.
class Patience {
 public:
  __device__ __forceinline__ explicit Patience(const Call& c) : pause_ns_(c.pause_ns) {}

  // To be called after every look that found nothing. 0, or why to give up.
  __device__ __forceinline__ uint32_t ended(const Call& c) {
    if (pause_ns_ != 0) __nanosleep(pause_ns_);
    if ((++polls_ & 255u) != 0) return 0;
    if (load_shared_word(poison_word(c)) != 0) return ARF_ERR_POISONED;
    if (load_shared_word(&c.host->abort) != 0) return ARF_ERR_ABORTED;
    const uint64_t now = global_nanoseconds();
    if (polls_ == 256) start_ = now;
    return c.timeout_ns != 0 && now - start_ > c.timeout_ns ? ARF_ERR_TIMEOUT : 0;
  }

 private:
  uint32_t polls_ = 0;
  const uint32_t pause_ns_;
  uint64_t start_ = 0;
};

// Parameters lie in constant memory, which no launch finds in the caches: they are fetched while
// the kernel ahead still runs, not where they are first needed.
__device__ __forceinline__ void fetch_parameters(const Call& c) {
  const auto* const words = reinterpret_cast<const uint32_t*>(&c);
  uint32_t any = 0;
#pragma unroll
  for (size_t i = 0; i < sizeof(Call) / 4; i += 16) any |= words[i];
  any |= words[sizeof(Call) / 4 - 1];
  use(any);
}

// The greeting of a row: the sender's sequence for the row and the signature of its call.
__device__ __forceinline__ uint64_t greeting(uint32_t sequence, uint32_t signature) {
  return static_cast<uint64_t>(signature) << 32 | sequence;
}

__device__ __forceinline__ uint64_t* greeting_slot(const Call& c, uint32_t of, uint32_t algorithm,
                                                   uint32_t parity, uint32_t source, uint32_t row,
                                                   int world) {
  auto* all = reinterpret_cast<uint64_t*>(c.region[of] + c.layout.greetings);
  const uint64_t at =
      (((algorithm - 1) * 2 + parity) * static_cast<uint64_t>(world) + source) * c.layout.rows +
      row;
  return all + at * (kLine / sizeof(uint64_t));
}

}  // namespace arf
