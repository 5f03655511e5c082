// All instances of a kernel template together: what reports and recorded proofs say of a build.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "prove/build.h"

namespace ungate::prove {

// The least and the most of some numbers.
struct Span {
  std::uint64_t least = UINT64_MAX, most = 0;
  void add(std::uint64_t n) { least = std::min(least, n), most = std::max(most, n); }
  std::string hex() const;      // "0x3a00", or "0x100..0x3a00"
  std::string decimal() const;
  bool operator==(const Span&) const = default;
};

struct KernelRow {
  std::size_t instances = 0;
  Span code, registers;               // bytes; a thread
  std::uint64_t shared = 0, spills = 0;  // the most of any instance, bytes
  std::size_t nothing = 0, traps = 0, waits = 0;  // instances that do nothing, only trap, wait
  bool operator==(const KernelRow&) const = default;
};

// By the name without namespaces and template arguments.
std::map<std::string, KernelRow> rows_of(const Build& build);

}  // namespace ungate::prove
