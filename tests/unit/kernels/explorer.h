// Tries every interleaving of ranks that write into each other's inboxes.
//
// A rank runs its calls one after another; a call is a few threads, each a list of steps, and ends
// when all its threads have. Stores to a peer travel: they arrive at any later time and in any
// order, except that two to the same slot keep their order. Sending itself is done at once, since a
// store that is late cannot be told from one that was sent late.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace arf::model {

struct Step {
  enum Kind : uint8_t {
    kSend,   // store `value` into `slot` of rank `peer`
    kTake,   // wait until own `slot` is not empty, then empty it; it must have held `value`
    kMeet,   // wait until own `slot` holds `value`
    kWrite,  // store `value` into own `slot`, at once
    kRead    // look into `slot` of rank `peer`, which must hold `value`
  };
  Kind kind;
  uint8_t peer, slot, value;
  bool empties = true;  // kTake: false leaves the slot as it is (a mistake)
};

using Thread = std::vector<Step>;
using Call = std::vector<Thread>;
// By rank, then by call.
using Program = std::vector<std::vector<Call>>;

struct Verdict {
  std::string mistake;  // empty: none in any interleaving
  uint64_t states = 0;  // that were seen
  bool all_ended =
      true;  // in every interleaving every rank ends (false only with a rank that dies)
};

// `doomed`: a rank that may stop for good at any moment, or -1. What it had sent may still arrive,
// or not.
Verdict explore(const Program& program, int slots, int doomed = -1);

}  // namespace arf::model
