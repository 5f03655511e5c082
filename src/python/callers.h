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

namespace ungate::python {

enum class Confidence : std::uint8_t {
  exact,        // the name resolves to the function
  unique_name,  // it resolves to nothing known, and only one function has this name
  guessed       // one of several functions of this name
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
  Confidence confidence = Confidence::guessed;
};

class Callers {
 public:
  // Gives the modules that hold a word, in a fixed order.
  using Holders = std::function<std::vector<ModuleId>(Symbol word)>;

  Callers(Program& program, Evaluation& evaluation, Holders holders)
      : p_(program), e_(evaluation), holders_(std::move(holders)) {}

  // The places that call (or pass on) a function, other than its own definition and imports.
  const std::vector<CallSite>& of(const Routine& function);
  // The function or method around an offset; empty name at module level.
  Routine around(ModuleId module, std::uint32_t offset);
  // The places where a name is used as an attribute outside the packages given: callers of an op.
  std::vector<CallSite> uses_of_attribute(Symbol name, std::string_view outside_package);

 private:
  const std::vector<Statement>& members(ModuleId module, const Statement& klass);
  std::size_t definitions(Symbol name);
  Confidence resolve(const Routine& wanted, const CallSite& site, std::string_view text);

  Program& p_;
  Evaluation& e_;
  Holders holders_;
  std::unordered_map<Symbol, std::size_t> definitions_;
  std::map<std::pair<ModuleId, std::uint32_t>, std::vector<Statement>> members_;  // of classes
  std::map<Routine, std::vector<CallSite>> sites_;
};

}  // namespace ungate::python
