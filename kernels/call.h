// What a kernel is told about a call, and where things lie in a rank's region of memory. Host and
// device.
//
// Every rank owns one region of memory, which its peers write into, and some words of its own:
//
// clang-format off
//   one-shot inbox   Pack  [parity][source][row][stride]
//   scatter inbox    Pack  [parity][source][row][shard_stride]  peers' parts of this rank's shard
//   gather inbox     Pack  [parity][row][stride]                finished sums, from their owners
//   mailbox          Pack  [parity][row][stride]                own rows, for peers that read
//   greetings        u64   [algorithm][parity][source][row]     {sequence, signature} of the call
//   island inboxes   Pack                                       hierarchical: scatter and gather as
//                                                               above, of an island; and the twin's
//                                                               fp32 sums
// and, in its device:
//   sequences        u32   [counter][row]                       how often the row was used; poison
//   poison           u32                                        (greetings, counts: a line each)
// clang-format on
//
// Inboxes are filled with kEmpty; whoever takes a pack out puts kEmpty back. So a word that is not
// kEmpty has arrived, and no flag, fence or acquire is needed: each word speaks for itself. The
// mailbox is never empty; a row in it is there once its greeting is.
//
// Why two halves (parity) are enough. A rank writes half p of a row in the row's call k+2 only
// after its own call k+1 of that row ended. That call waited for the greeting and data that every
// peer sends at the start of its call k+1, hence after the peer's call k had ended and emptied half
// p (or read it). The argument is per row and algorithm, so calls of any shape and algorithm may
// follow each other, and ranks need not agree on launch shapes.
#pragma once

#include <cstdint>

#include "arf.h"

namespace arf {

// The record of the first failure, in host memory that the device writes.
struct FailureRecord {
  uint32_t code, rank, peer, algorithm, phase, row, sequence;
  uint32_t complete;  // written last
};

struct HostWords {
  FailureRecord failure;
  uint32_t abort;
};

// What `sequences` counts of each row.
enum Counter : uint32_t { kOneShotEnded, kTwoShotEnded, kPullEnded, kHierarchicalEnded, kCounters };

// Bytes from one row's greeting, or counts, to the next row's.
constexpr uint64_t kLine = 128;

constexpr int kAlgorithmCount = 4;  // arf_algorithm, without ARF_AUTO

enum Phase : uint32_t { kPhaseGather = 0, kPhaseScatter = 1, kPhaseTwin = 2 };

struct Layout {
  uint64_t oneshot, scatter, gather, mailbox, greetings;  // byte offsets in the region
  uint64_t island_scatter, twin, island_gather;           // likewise, with eight ranks
  uint64_t total;                                         // the region's size
  uint64_t sequences, poison, scratch,
      local_total;  // byte offsets in the rank's own words; their size
  uint32_t oneshot_rows, rows, stride, shard_stride, island_stride;  // rows; packs
};

struct Call {
  char* region[ARF_MAX_WORLD];  // every rank's region, as seen from here
  char* local;                  // this rank's own words
  // One-shot, by i of peer rank ^ i: where this rank writes to it, and where that one writes to
  // this.
  void *to[ARF_MAX_WORLD], *from[ARF_MAX_WORLD];
  uint64_t half;  // packs between the halves of the one-shot inbox
  const void *in, *residual_in, *gamma;
  void *out, *residual_out, *norm_out, *quant_out, *scale_out;
  const float* scale_factor;
  HostWords* host;
  Layout layout;
  uint64_t timeout_ns;
  uint32_t rank, tokens, packs;  // packs: of a row
  uint32_t quantiser, scale_layout, signature;
  uint32_t group_lanes, scale_stride;  // threads that share a scale; words of a column of scales
  uint32_t pause_ns;                   // between polls
  float inverse_hidden, eps, weight_bias;
  uint32_t faults;        // test builds: kFault…
  uint32_t delay_ns[3];   // test builds: before sending, before waiting, before the epilogue
  uint32_t delayed_warp;  // test builds: the only warp that is delayed, or ~0 for all
};

// Deliberate mistakes that the test suite must notice.
enum Fault : uint32_t {
  kFaultOneHalf = 1,        // parity is always 0
  kFaultKeepInbox = 2,      // does not put kEmpty back
  kFaultDropRank = 4,       // leaves the last rank out of the sum
  kFaultEarlySequence = 8,  // advances the row's sequence before every warp has read it
  kFaultNoBarrier = 16      // announces a row before every warp has stored its part
};

}  // namespace arf
