// What the interpreter remembers from one statement, call and round to the next (internal to python/): tables only;
// interpreter.h says who fills them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/stable_vector.h"
#include "python/choice.h"
#include "python/program.h"
#include "python/state.h"
#include "python/words.h"
#include "value/lifted.h"

namespace ungate::python {

struct InterpreterMemory {
  using Key = std::pair<const Tree*, NodeId>;
  struct KeyHash {
    std::size_t operator()(const Key& k) const {
      return (reinterpret_cast<std::uintptr_t>(k.first) ^ (std::size_t{k.second} << 40)) * 0x9e3779b97f4a7c15u >> 7;
    }
  };
  struct PairHash {
    template <class A, class B>
    std::size_t operator()(const std::pair<A, B>& p) const {
      return (std::hash<A>()(p.first) * 0x9e3779b97f4a7c15u) ^ std::hash<B>()(p.second);
    }
  };
  struct WordsHash {
    std::size_t operator()(const std::vector<std::uint32_t>& v) const {
      std::size_t h = v.size();
      for (std::uint32_t x : v) h = (h ^ x) * 0x9e3779b97f4a7c15u + (h >> 29);
      return h;
    }
  };
  // What the two ways out of a condition do.
  struct Arms {
    Want want = Want::yes;
    Refusal refusal = Refusal::none;
    Symbol type, text;               // of a raise or a refusing result
    bool body_refuses = false, else_refuses = false, has_else = false;
    bool ignored = false;            // only logs: not a choice
    NodeId body = 0, orelse = 0;
  };
  struct Whole {
    Arms arms;
    NodeId root = 0;
    std::uint32_t index = kNoIndex;  // in `conditions`, once a leaf of it was recorded
    source::Range either;            // the innermost `or` around the current leaf
    bool in_and = false, negated = false;  // the current leaf is an operand of `and`, stands under `not`
  };

  // A comparison of a class attribute with the device, in a method.
  struct Bound {
    FunctionId function = 0;
    const Tree* tree = nullptr;
    NodeId node = 0;
  };
  // What is seen of one leaf of a condition in a run that records nothing.
  struct Probe {
    const Tree* tree = nullptr;
    NodeId node = 0;
    Outcome outcome;
    Want want;
    Arms arms;
  };
  static Key key_of(const Tree* tree, NodeId node) { return {tree, node}; }

  StableVector<Function> functions_;
  std::unordered_map<Key, FunctionId, KeyHash> function_index_;
  std::unordered_map<std::pair<ModuleId, std::uint32_t>, FunctionId, PairHash> statement_functions_;
  StableVector<Closure> closures_;
  std::map<Closure, ClosureId> closure_index_;
  StableVector<Callable> callables_;
  std::unordered_map<std::vector<std::uint32_t>, CallableId, WordsHash> callable_index_;
  StableVector<Klass> classes_;
  std::optional<ClassId> bare_capability_;   // of annotations whose class is not at hand
  std::unordered_map<Symbol, ClassId> made_classes_;  // by dotted name: of the objects that rules say are made at run time
  std::unordered_map<std::pair<ModuleId, std::uint32_t>, ClassId, PairHash> class_index_;
  std::unordered_map<Key, ClassId, KeyHash> inner_class_index_;

  std::unordered_map<ModuleId, std::unordered_map<Symbol, Lifted>> globals_;
  std::unordered_set<std::pair<ModuleId, Symbol>, PairHash> pending_globals_;
  std::unordered_set<std::pair<ModuleId, std::uint32_t>, PairHash> pieces_run_;
  std::unordered_map<std::pair<ClassId, Symbol>, std::vector<Place>, PairHash> chosen_fields_;  // and where
  std::map<Symbol, std::vector<Bound>> bounds_;        // by the attribute's name
  std::set<std::tuple<ClassId, const Tree*, NodeId>> tried_bounds_;
  Probe* probe_ = nullptr;
  std::unordered_map<std::pair<ClassId, FunctionId>, std::optional<Lifted>, PairHash> written_;  // receivers after a method
  // What a statement left of names that others bind, too.
  std::unordered_map<std::pair<ModuleId, std::uint32_t>, std::vector<std::pair<Symbol, Lifted>>, PairHash> piece_globals_;
  std::unordered_set<const Tree*> reported_;

  // An attribute of a class, or a global, whose writers are run, and what they stored.
  struct Stored {
    ClassId klass;     // kNoIndex: a global
    ModuleId module;
    Symbol name;
    Lifted value;
  };
  std::optional<Stored> store_;
  // Globals that functions set: what they are bound to first, and the round that looked at the functions.
  std::map<std::pair<ModuleId, Symbol>, std::pair<Lifted, std::uint32_t>> rebound_;

  struct Answer {
    Lifted value;
    bool chosen = false;            // see answers_chosen_
    std::uint32_t round = 0;
  };
  std::unordered_map<std::vector<std::uint32_t>, Answer, WordsHash> memo_;
  std::unordered_set<std::vector<std::uint32_t>, WordsHash> active_;
  std::vector<std::pair<FunctionId, ClosureId>> inner_runs_;
  // By statement of a module: the functions that are defined in it, `if available: def f(): …`.
  std::unordered_map<std::pair<ModuleId, std::uint32_t>, std::vector<std::pair<FunctionId, ClosureId>>, PairHash> piece_functions_;
  std::uint32_t depth_ = 0;
  std::size_t fuel_ = 0;          // expressions until the run at hand is given up
  std::vector<NodeId> held_;  // flags that hold where the current operand of an `and` is asked

  // The place that is watched, and the statements around it that were run.
  struct Watch {
    ModuleId module = kNoIndex;
    std::uint32_t offset = 0;
    struct Statement {
      const Tree* tree;
      NodeId node;
      DeviceSet devices;
    };
    std::vector<Statement> seen;
  } watch_;

  const WordSet* words_ = nullptr;
  const WordSet* fresh_ = nullptr;
  std::uint32_t round_ = 0;
  bool compares_open_ = false;      // in the run that ended last
  bool answers_chosen_ = false;     // the same: it only answers about the result of an earlier choice
  std::set<Derived> known_;
  std::unordered_set<Symbol> known_names_;
  std::unordered_map<ModuleId, std::vector<ClassId>> answering_classes_;
  std::unordered_map<Symbol, std::vector<FunctionId>> derived_methods_;  // by name: methods that answer by the device
  std::vector<Derived> derived_;

  std::unordered_map<Key, Arms, KeyHash> arms_;   // by the body of the `if`
  std::unordered_map<Key, std::size_t, KeyHash> choice_index_, condition_index_;
  std::unordered_map<Key, std::pair<std::uint32_t, std::uint32_t>, KeyHash> chain_index_;
};

}  // namespace ungate::python
