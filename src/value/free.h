// Free values: what an outcome depends on besides the device, and what is assumed of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/symbol.h"

namespace ungate::value {

// Something that the audited text leaves open. It has a name and keeps its identity, so that a report
// can say which macro, variable, call or argument decides.
struct Free {
  enum class Kind : std::uint8_t {
    macro,            // a preprocessor macro that nothing in the tree defines
    env,              // an environment variable
    toolkit,          // a toolkit, driver or library version (CUDA, NCCL, …)
    package_version,  // the version of an installed package
    device_name,      // the product name of the GPU
    config,           // a configuration field or flag
    argument,         // a parameter of the function at hand
    call,             // the result of a call that is not evaluated
    name,             // a name or attribute that could not be resolved
    unread            // a file, body or construct that was not read
  };
  Kind kind = Kind::name;
  Symbol name;
  auto operator<=>(const Free&) const = default;
};

struct FreeHash {
  std::size_t operator()(const Free& free) const { return std::hash<Symbol>()(free.name) * 16 + static_cast<std::size_t>(free.kind); }
};

std::string_view name_of(Free::Kind kind);  // "macro", "environment variable", …
std::string to_text(const Free& free);      // "environment variable FOO"

// A plain value that a world can assume.
using Constant = std::variant<std::monostate, bool, std::int64_t, std::string>;  // monostate: None

// What is assumed of free values. Every report prints it; flags add to it; the later entry wins.
class World {
 public:
  struct Entry {
    Free free;
    Constant value;
    std::string origin;  // "default", "installed", "--assume", a rule file
  };

  void assume(Free free, Constant value, std::string origin);
  const Entry* find(const Free& free) const;
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

std::string to_text(const Constant& constant);  // as Python prints it

}  // namespace ungate::value
