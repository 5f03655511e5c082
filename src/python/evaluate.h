// Evaluation of an environment's Python: which places have outcomes that differ between devices.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "python/choice.h"
#include "python/knowledge.h"
#include "python/program.h"
#include "python/words.h"

namespace ungate::python {

class Interpreter;

// What was seen of the innermost statement around a place that was watched.
struct Reached {
  source::Range statement;      // in the watched module
  arch::DeviceSet devices;      // that got there, in any context, of those that enter the function
};

// The words that make a file worth reading, from what is known of sources and sinks.
WordSet seed_words(const Knowledge& knowledge);

// A word to look for, and the package that binds the name: other packages that use it name that package.
struct DerivedWord {
  WordHash word = 0;
  Symbol package;
};

class Evaluation {
 public:
  Evaluation(Program& program, const Knowledge& knowledge, const value::World& world);
  ~Evaluation();

  // Runs everything in these modules that mentions a word looked for since the last call; returns the
  // names that turned out to depend on the device and were not known before (those that only attributes have,
  // as such). They are words from then on, so the next call is for the modules that hold one of them.
  std::vector<DerivedWord> run(const std::vector<ModuleId>& modules, unsigned threads = 1);

  // Asks to note which devices reach the statement that holds this offset; before run().
  void watch(ModuleId module, std::uint32_t offset);
  // Nothing if no run came near: nothing around the place mentions what depends on the device.
  std::optional<Reached> reached() const;

  const std::vector<Choice>& choices() const;
  const std::vector<Condition>& conditions() const;
  const std::vector<Chain>& chains() const;
  const std::vector<Capture>& captures() const;
  const std::vector<Reading>& readings() const;
  // What could not be read: place and sentence.
  std::vector<std::pair<Place, std::string>> problems() const;

  // Where the function stands that a name means: as a global of a module, as an attribute of a global that is
  // a module or class, as imported by a statement inside a function. Nothing if it means no known function.
  std::optional<Place> definition(ModuleId module, Symbol name);
  std::optional<Place> attribute_definition(ModuleId module, Symbol base, Symbol name);
  std::optional<Place> imported(ModuleId module, source::Range statement, Symbol name);

  // Names that packages make when they start, by the rules: no statement need bind them.
  std::unordered_set<Symbol> made_names() const;

  // True if a statement or block does nothing but log.
  bool only_logs(const Tree& tree, NodeId node) const;

  // What a module's global holds, and what calling it without arguments gives.
  value::Lifted global(ModuleId module, std::string_view name);
  value::Lifted field(ModuleId module, std::string_view name, std::string_view field);
  value::Lifted call(ModuleId module, std::string_view name);
  const value::Store& store() const;
  const value::LiftedStore& lifted() const;
  std::string statistics() const;

 private:
  Program& program_;
  WordSet words_, fresh_;
  std::unique_ptr<Interpreter> interpreter_;
};

}  // namespace ungate::python
