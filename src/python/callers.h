// Who calls a function: the way back from a builder or op to the code that leads to it.
//
// A caller is found by name (the words of each file say where it can be) and confirmed by resolving what the
// name means there: through imports, module attributes, classes. A name that resolves to nothing known but is
// defined only once in the program gives an edge marked as such.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "python/evaluate.h"
#include "python/uses.h"

namespace ungate::python {

enum class Confidence : std::uint8_t {
  exact,        // the name resolves to the function
  unique_name   // it resolves to nothing known, and only one function has this name
};

// A function or method, or a module's top level (empty range).
struct Routine {
  ModuleId module = 0;
  Symbol name, qualname;
  source::Range range;
  bool method = false;
  auto operator<=>(const Routine&) const = default;
};

struct CallSite {
  Routine in;               // the function that holds the call
  source::Range range;        // of the name at the call
  Confidence confidence = Confidence::unique_name;
};

// The uses of a name in one module, in order of the text.
struct ModuleUses {
  ModuleId module = 0;
  std::vector<Use> uses;
};

// The texts of modules that need not be loaded.
struct Texts {
  // Modules that hold a word, in a fixed order.
  std::function<std::vector<ModuleId>(Symbol word)> holders;
  // Of those the modules that are of a package or name it: what else holds the word means another thing.
  std::function<std::vector<ModuleId>(Symbol word, Symbol package)> users;
  // Modules that hold `def word`.
  std::function<std::vector<ModuleId>(Symbol word)> definers;
  // Calls f(i, text) for modules[i], for several at a time; texts that nobody else needs are dropped again.
  // Not called for modules that cannot be read.
  std::function<void(const std::vector<ModuleId>& modules, const std::function<void(std::size_t i, std::string_view text)>& f)> each;
};

class Callers {
 public:
  Callers(Program& program, Evaluation& evaluation, const Texts& texts) : p_(program), e_(evaluation), texts_(texts) {}

  // The places that call (or pass on) a function, other than its own definition and imports. Left out are
  // those where the name could be one of several functions and does not resolve to this one.
  const std::vector<CallSite>& of(const Routine& function);
  // The function or method around an offset; empty name at module level.
  Routine around(ModuleId module, std::uint32_t offset);
  // The places where a name is used as an attribute outside the packages given: callers of an op.
  std::vector<CallSite> uses_of_attribute(Symbol name, std::string_view outside_package);

 private:
  const std::vector<Statement>& members(ModuleId module, const Statement& klass);
  std::vector<ModuleUses> uses_in_modules(const std::vector<ModuleId>& modules, Symbol name) const;
  const std::vector<ModuleUses>& candidates(Symbol name, Symbol package);
  bool is_unique(Symbol name);
  bool is_code(ModuleId module, const Use& use, const LogicalLine*& line);
  bool resolves(const Routine& wanted, const CallSite& site, const Use& use);

  Program& p_;
  Evaluation& e_;
  const Texts& texts_;
  std::map<std::pair<Symbol, Symbol>, std::vector<ModuleUses>> candidates_;   // by name and package
  std::unordered_map<Symbol, bool> unique_;
  std::map<std::pair<ModuleId, std::uint32_t>, std::vector<Statement>> members_;  // of classes
  std::map<Routine, std::vector<CallSite>> sites_;
};

}  // namespace ungate::python
