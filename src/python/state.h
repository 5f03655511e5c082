// What the interpreter works on: functions, classes, frames (internal to python/).
#pragma once

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "python/choice.h"
#include "python/program.h"
#include "value/lifted.h"

namespace ungate::python {

using arch::DeviceSet;
using value::Kind;
using value::Lifted;
using value::Outcome;
using value::ValueId;

using FunctionId = std::uint32_t;
using ClassId = std::uint32_t;
using CallableId = std::uint32_t;
using ClosureId = std::uint32_t;

// A function, method or lambda as written. One that is a statement of a module or class is parsed when it
// is first run; until then its text is all there is.
struct Function {
  ModuleId module = 0;
  const Tree* tree = nullptr;      // null: not parsed yet
  NodeId node = 0;
  source::Range range;
  ClassId klass = kNoIndex;        // the class that holds it
  Symbol name, qualname;
  enum class Binding : std::uint8_t { plain, static_, klass, property, setter } binding = Binding::plain;
  bool abstract = false;           // its body is only `raise NotImplementedError` or `...`
  std::uint32_t lines = 0;
  std::uint32_t ran = 0;           // the round of its generic run; 0: none yet
  std::uint32_t fresh_round = 0;
  bool fresh = false;              // its text holds a word that is looked for since this round
  bool refuses = false;            // it raises for some devices by a statement of its own
  std::vector<Lifted> defaults;    // of its parameters, once asked for
  std::uint32_t mention_round = 0;
  bool mention = false;            // its text holds a word that is looked for
  std::vector<std::vector<std::uint32_t>> contexts;  // argument keys of emitting runs
  std::uint32_t runs = 0, runs_round = 0;            // with arguments, in a round

  const Scope& scope() const { return tree->scopes[(*tree)[node].number]; }
  NodeId params() const { return tree->child(node, 0); }
  NodeId body() const { return tree->child(node, is_lambda() ? 1 : 2); }
  bool is_lambda() const { return (*tree)[node].kind == NodeKind::lambda; }
};

using Closure = std::vector<std::pair<Symbol, Lifted>>;

// A name whose value depends on the device, what has it (attributes of objects and classes, or anything), and
// the package that binds it.
struct Derived {
  enum class As : std::uint8_t { name, attribute };
  Symbol name;
  As as = As::name;
  Symbol package;
  auto operator<=>(const Derived&) const = default;
};

// A function with what is bound to it.
struct Callable {
  FunctionId function = 0;
  ClosureId closure = 0;
  std::optional<Lifted> receiver;
  std::vector<Lifted> bound;                          // functools.partial
  std::vector<std::pair<Symbol, Lifted>> keywords;
  std::vector<Lifted> defaults;                       // one a parameter, of an inner function; absent: none
  bool operator==(const Callable&) const = default;
};

struct Klass {
  ModuleId module = 0;
  Symbol name;
  enum class Form : std::uint8_t { plain, named_tuple, enumeration, dataclass } form = Form::plain;
  std::vector<ValueId> bases;                         // classes and externals
  bool external_base = false;                         // some base is not read
  bool orders_fields = false;                         // @dataclass(order=True)
  bool total_ordering = false;                        // @functools.total_ordering
  std::vector<ClassId> mro;                           // this class first
  // A member statement: either a range of the module's text or a node of a tree.
  struct Member {
    const Tree* tree = nullptr;
    NodeId node = 0;
    source::Range range;
    LineKind kind = LineKind::simple;
    Statement statement;                              // of a range
    std::uint32_t scope = 0;                          // of the class body, in the tree
    bool done = false;
  };
  std::vector<Member> members;
  std::unordered_map<Symbol, std::vector<std::uint32_t>> binders;
  std::vector<Symbol> fields;                         // annotated names in order
  std::unordered_map<Symbol, Lifted> attributes;      // evaluated
  std::unordered_map<Symbol, Lifted> cells;           // fields of a generic object
  std::optional<std::unordered_map<Symbol, std::vector<std::uint32_t>>> field_writers;  // members that assign to `self.name`
  std::unordered_set<Symbol> pending;                 // being evaluated
  std::unordered_map<Symbol, std::vector<std::uint32_t>> writers;  // by attribute: methods that assign to it on the class
  std::unordered_map<Symbol, Lifted> stored;          // what they leave there
  ClosureId closure = 0;

  bool has_field(Symbol field) const { return std::ranges::find(fields, field) != fields.end(); }
  bool declares(Symbol attribute) const { return binders.contains(attribute) || has_field(attribute); }
};

struct Arguments {
  std::vector<Lifted> positional;
  std::vector<std::pair<Symbol, Lifted>> keywords;
  bool open = false;  // *args or **kwargs whose items are not known
};

// What a place gave in a round of an unrolled loop in which it did not depend on the device.
struct UniformRound {
  NodeId expr = 0;
  value::Outcome outcome;
  DeviceSet mask;
};

struct Frame {
  Frame* outer = nullptr;
  ModuleId module = 0;
  const Tree* tree = nullptr;
  FunctionId function = kNoIndex;   // kNoIndex: module or class level
  ClassId klass = kNoIndex;         // of the method, or the class whose body runs
  bool class_body = false;
  ClosureId closure = 0;
  int device_arms = 0;              // arms around the current statement that devices are told apart by
  std::uint32_t piece = kNoIndex;   // at module level: of the statement that runs
  std::optional<Lifted> receiver;
  std::vector<Lifted> slots;
  bool compares_open = false;       // what depends on the device was compared with what is not known
  Lifted returned;                  // absent where nothing was returned
  DeviceSet pending;                // devices that an expression of the current statement raised on
  DeviceSet raised;                 // devices that left by an exception, and with what
  Symbol raise_type, raise_text;
  source::Range call;               // of the call being made
  int tries = 0;                    // try blocks around the current statement
  DeviceSet broke, continued;       // devices that left the innermost loop, its current round
  bool emit = false;                // record choices
  std::vector<UniformRound>* rounds = nullptr;  // of the unrolled loop being run
  Choice::Position position = Choice::Position::argument;
  std::uint32_t chain = kNoIndex, arm = 0;
  std::vector<Place>* via = nullptr;  // collects the definitions that an expression used
  // By slot: the call whose answer it holds beside others, `ok, why = supports(…)`; 0: another value.
  std::vector<NodeId> answers;
  std::vector<Place> origins;         // where a device-dependent local was last assigned, one a slot
  std::uint32_t scope = 0;            // of the tree
  // What was evaluated last was asked of the result of an earlier choice (`backend == "fa3"`).
  bool intermediate = false;
  std::int64_t asked_bytes = 0;  // what was evaluated last compared the device's shared memory with so much; 0: nothing
  bool returns_chosen = false, returns_own = false;  // an answer was such a one, or one of its own
  // A condition asked for a field that holds who left early (`self.disabled`), or for something else that differs.
  bool asks_exits = false, asks_own = false;
  std::vector<Symbol> set;            // globals and attributes of classes that it has set so far
};

}  // namespace ungate::python
