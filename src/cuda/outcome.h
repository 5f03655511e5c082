// What a condition, or the liveness of a text, can be on each code target.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arch/device.h"
#include "base/symbol.h"
#include "value/free.h"
#include "value/guarded.h"
#include "value/value.h"

namespace ungate::cuda {

// A set of free values in one word: equal sets are equal words, wherever they were made. At most
// kMostNamed are kept; past that the set is `truncated`, so that a report can say "and others".
class FreeSet {
 public:
  static constexpr std::size_t kMostNamed = 12;

  FreeSet() = default;
  FreeSet(value::Free one);  // NOLINT: a free value is a set of one
  bool empty() const { return packed_.empty(); }
  bool truncated() const;
  std::vector<value::Free> items() const;  // sorted
  FreeSet operator|(FreeSet other) const;
  bool operator==(const FreeSet&) const = default;

 private:
  static FreeSet pack(std::span<const value::Free> items, bool truncated);
  Symbol packed_;
};

// A set of value::Truth bits. One bit in one context; more after contexts were joined: {true,
// false} means "taken in some, not in others", {false, unknown} "never certainly". kNever: not
// asked, since the place was not reached.
struct Outcome {
  std::uint8_t bits = value::kNever;
  FreeSet why;  // what decides, if the unknown bit is set
  bool operator==(const Outcome&) const = default;

  bool is(value::Truth t) const { return bits == t; }
  bool may_be_true() const { return (bits & (value::kTrue | value::kUnknown)) != 0; }
  bool may_be_false() const { return (bits & (value::kFalse | value::kUnknown)) != 0; }
};

inline Outcome yes() { return {value::kTrue, {}}; }
inline Outcome no() { return {value::kFalse, {}}; }
inline Outcome unknown(FreeSet why) { return {value::kUnknown, why}; }
inline Outcome truth(bool b) { return b ? yes() : no(); }

Outcome operator&(Outcome a, Outcome b);  // and
Outcome operator!(Outcome a);
Outcome join(Outcome a, Outcome b);  // one or the other, in different contexts

using Outcomes = value::Guarded<Outcome, arch::CodeTargetSet>;
using DeviceOutcomes = value::Guarded<Outcome, arch::DeviceSet>;

Outcomes operator&(const Outcomes& a, const Outcomes& b);
Outcomes operator!(const Outcomes& a);
Outcomes join(const Outcomes& a, const Outcomes& b);

// The code targets whose outcome has one of the bits.
arch::CodeTargetSet targets_with(const Outcomes& outcomes, std::uint8_t bits);
inline arch::CodeTargetSet may_be_true(const Outcomes& o) {
  return targets_with(o, value::kTrue | value::kUnknown);
}

// True if two code targets of `among` have different truth bits.
bool differs(const Outcomes& outcomes, arch::CodeTargetSet among);

// One outcome a device. Only the code targets in `built` count, for a device that has any there; if
// those of one device disagree the outcome is unknown, and what decides is the code target's
// suffix.
DeviceOutcomes per_device(const Outcomes& outcomes, arch::CodeTargetSet built);
// The free value that per_device names then.
value::Free suffix_decides();

// "yes: sm_90..sm_103; no: …; unknown: … (macro FOO)"; for dumps and test messages.
std::string to_text(const Outcomes& outcomes);

}  // namespace ungate::cuda
