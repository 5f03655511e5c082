// What the evaluator finds: places whose outcome differs between devices.
//
// A Choice is a leaf of a condition (an operand that is not `and`, `or`, `not`), a comparison or call
// that gives a truth value, or a call with a list of devices. Outcomes are joined over all contexts in
// which the place was evaluated. Whether a choice is a gate for a target is judged in gate/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "python/ast.h"
#include "python/knowledge.h"
#include "value/lifted.h"

namespace ungate::python {

using ModuleId = std::uint32_t;
inline constexpr std::uint32_t kNoIndex = ~std::uint32_t{0};

struct Place {
  ModuleId module = 0;
  source::Range range;
  bool operator==(const Place&) const = default;
};

// Which truth value serves the device at a place.
enum class Want : std::uint8_t { yes, no, either };

// What the arm that does not serve does.
enum class Refusal : std::uint8_t {
  none,        // there is no such arm, or it does something else
  raises,      // raise or assert
  returns,     // returns False, None, (False, …) or a text
  falls_back,  // warns, and returns or sets something else
  skips,       // continue
  assigns      // sets something to False or None
};

struct Choice {
  enum class Position : std::uint8_t { condition, returned, assigned, argument };
  enum class Kind : std::uint8_t {
    compare,     // cc >= 90, major in [9, 10], "compute_100" in flags
    call,        // is_sm100_supported()
    refusing_call,  // limits_of(capability): raises for some
    lookup,         // table.get(capability): some have no key
    flag,        // a name or attribute that holds an earlier choice
    subscript,   // table[cc]: absent where the key is missing
    bound,       // MAXIMUM = (9, 0) in a class, which a method of its base compares with the device
    sink,        // supported_major_versions=[9, 10], @supported_compute_capability([…])
    other
  };

  Place place;                  // of the gate expression
  Kind kind = Kind::other;
  Position position = Position::condition;
  Want want = Want::yes;
  bool negated = false;         // it is an operand of `and` that stands under `not`
  value::Outcome outcome;       // where it may be true, false, open; in none where it has no value
  arch::DeviceSet alive;        // devices that reach the place
  arch::DeviceSet raises;       // devices on which evaluating it raises
  std::uint32_t condition = kNoIndex;  // the whole condition it is a leaf of
  std::uint32_t chain = kNoIndex, arm = 0;  // the if/elif chain and which test of it
  source::Range either;         // the innermost `or` it is an operand of; empty: none
  Refusal refusal = Refusal::none;
  Symbol raise_type, raise_text;  // of the refusing arm, or of what the call raises
  Symbol function;              // qualified name of the enclosing function; empty at module level
  const Sink* sink = nullptr;   // of kind sink
  std::int64_t asked_bytes = 0; // it compares the device's shared memory with so much; 0: it does not
  struct Decider {
    value::Free free;
    arch::DeviceSet where;      // devices on which it may decide
  };
  std::vector<Decider> deciders;
  std::vector<Place> via;       // definitions whose outcome it uses (helpers, flags), nearest first
  const Tree* tree = nullptr;   // where its syntax stands
  NodeId node = 0;
  NodeId serves = 0;            // the arm that the wanted outcome enters; 0: what follows
  NodeId other = 0;             // the arm that the other outcome enters
};

// A whole condition: `a and (b or c)` of an `if`, a `return`, a conditional expression.
struct Condition {
  value::Outcome outcome;
  arch::DeviceSet alive;
  Want want = Want::yes;
};

// A call of a function that the rules ask to follow (the one that describes a JIT module), with what its
// parameters hold.
struct Capture {
  Place place;
  Symbol callee;                // dotted
  Symbol function;              // qualified name of the enclosing function
  source::Range function_range; // empty at module level
  const Tree* tree = nullptr;   // where the call stands
  arch::DeviceSet alive;
  std::vector<std::pair<Symbol, value::Lifted>> arguments;
};

// A file that a function opens, as far as its path is known: what a builder makes sources from.
struct Reading {
  Place place;                  // the call
  source::Range function_range;
  const Tree* tree = nullptr;   // where the function stands
  std::vector<std::string> paths;
};

// The tests of one if/elif chain, in order.
struct Chain {
  struct Arm {
    source::Range test;
    value::Outcome outcome;     // of the whole test, on the devices that reach it
    arch::DeviceSet alive;
    bool refuses = false;
    Symbol gives;               // its last statement, if that sets a name or returns: "backend = X.FA"
  };
  Place place;                  // the whole statement
  std::vector<Arm> arms;
  bool has_else = false, else_refuses = false;
  Symbol else_gives;
};

}  // namespace ungate::python
