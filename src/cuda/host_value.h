// Numbers of host code on every device: what is known of an expression there, as a small set of
// alternatives a device.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/host_vocabulary.h"
#include "value/guarded.h"
#include "value/lifted.h"

namespace ungate::cuda {

// The alternatives on one device.
struct HostNumbers {
  static constexpr std::size_t kMost = 6;  // more: open

  std::vector<std::int64_t> known;  // ascending, each once
  bool open = true;                 // it may be something else, too
  bool operator==(const HostNumbers&) const = default;
};

using HostScalar = value::Guarded<HostNumbers>;

// One item: a number or truth value. More: a pair or tuple. None: nothing is known.
struct HostValue {
  std::vector<HostScalar> items;

  // The number, or an open one.
  HostScalar scalar() const { return items.size() == 1 ? items[0] : HostScalar(HostNumbers{}); }
  bool operator==(const HostValue&) const = default;
};

HostValue host_number(std::int64_t n);
HostValue host_fact(HostFact fact);
// One or the other.
HostValue join(const HostValue& a, const HostValue& b);
bool is_open(const HostValue& v);  // nothing is known on any device

enum class HostOp : std::uint8_t {
  add, sub, mul, div, mod, eq, ne, lt, le, gt, ge, and_, or_, shl, shr, bit_and, bit_or, bit_xor
};
HostScalar apply(HostOp op, const HostScalar& a, const HostScalar& b);
HostScalar negated(const HostScalar& a);
// `yes` where the test may hold, `no` where it may not.
HostValue select(const HostScalar& test, const HostValue& yes, const HostValue& no);

// How much shared memory a comparison of the two asks for; 0: neither is the device's.
std::int64_t asked_bytes(const HostScalar& a, const HostScalar& b);

// True if every known alternative is 0 or 1, and there is one.
bool is_truth(const HostScalar& v);
value::Outcome outcome_of(const HostScalar& v);

}  // namespace ungate::cuda
