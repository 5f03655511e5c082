// The macro table of a walk: what every macro can be, on every code target, at the current point.
//
// A macro's state is a set of alternatives (definitions, or "not defined", or "defined somehow")
// and the free values that decide between them. A macro that nothing in the tree defines and that
// the world says nothing about has the alternatives {not defined, defined somehow}, decided by
// itself.
//
// Two kinds of nesting: a *mark* brackets an arm of a conditional, so that what the arm changed can
// be taken back and joined with the other arms; a *visit* brackets a file, and records what the
// file read and wrote, so that the next visit under the same conditions is a replay.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuda/outcome.h"
#include "cuda/predefined.h"
#include "cuda/token.h"
#include "value/free.h"

namespace ungate::cuda {

struct Definition {
  Symbol name;
  bool function_like = false;
  bool variadic = false;
  std::vector<Symbol> parameters;
  Tokens body;
  Symbol file;          // empty: predefined, given by -D, or assumed
  source::Range where;  // the directive
};

using DefinitionId = std::uint32_t;
inline constexpr DefinitionId kUndefined = 0;  // the macro is not defined
inline constexpr DefinitionId kSomehow = 1;    // defined, nobody knows as what

class Environment {
 public:
  using StateId = std::uint32_t;
  using State = value::Guarded<StateId, arch::CodeTargetSet>;
  using Slots = std::vector<std::pair<std::uint32_t, State>>;

  // First byte of a name that no text can spell; such a macro starts as not defined.
  static constexpr char kHidden = '\x01';

  // `world` must outlive the environment and is read when a name is first met.
  Environment(const value::World& world, Pass pass, Absent absent = nullptr);

  std::uint32_t slot(Symbol name);
  void bind(Tokens& tokens);  // fills in the slots of identifiers
  Symbol name(std::uint32_t slot) const { return slots_[slot].name; }

  DefinitionId add(Definition definition);
  const Definition& definition(DefinitionId id) const { return definitions_[id]; }

  // States. One alternative is its own id; sets are interned.
  StateId state(std::vector<DefinitionId> alternatives, FreeSet why);
  std::span<const DefinitionId> alternatives(const StateId& state) const;
  FreeSet why(StateId state) const;
  StateId join(StateId a, StateId b, FreeSet why);

  const State& get(std::uint32_t slot);
  void set(std::uint32_t slot, State state);
  // True if nothing but the starting state is known of it, and that leaves it open.
  bool is_foreign(std::uint32_t slot);

  // Arms.
  std::size_t mark() const { return log_.size(); }
  // Takes back every change since the mark and returns the values before that, each slot once,
  // ascending.
  Slots take_back(std::size_t mark);

  // Visits. end_visit gives what was read (with the values at its begin) and what differs at its
  // end.
  struct Effect {
    Slots reads, writes;
  };
  void begin_visit();
  Effect end_visit();
  bool replays(const Effect& effect);  // all reads have the same values now
  void replay(const Effect& effect);

 private:
  struct Slot {
    Symbol name;
    State value;
    State start;
    std::uint32_t visit = 0;  // the innermost visit that has recorded it
    std::uint32_t stamp = 0;  // used by take_back
  };
  struct Touch {
    std::uint32_t slot;
    State before;
    std::uint32_t outer_visit;
  };
  struct Visit {
    std::uint32_t id;
    std::vector<Touch> touches;
  };
  struct Set {
    std::vector<DefinitionId> alternatives;
    FreeSet why;
  };

  State starting_state(Symbol name);
  DefinitionId constant(Symbol name, std::string_view body);
  void touch(std::uint32_t slot);

  const value::World& world_;
  Pass pass_;
  Absent absent_;
  std::vector<Slot> slots_;
  std::unordered_map<Symbol, std::uint32_t> by_name_;
  std::vector<Definition> definitions_;
  std::vector<Set> sets_;
  std::unordered_map<std::string, StateId> set_ids_;
  std::vector<std::pair<std::uint32_t, State>> log_;
  std::vector<Visit> visits_;
  std::uint32_t last_visit_ = 0;
  std::uint32_t last_stamp_ = 0;
};

}  // namespace ungate::cuda
