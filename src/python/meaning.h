// What a name means by what is written: the function, class or module that definitions and imports bind it to,
// whatever runs and whatever a decorator makes of it.
#pragma once

#include <optional>

#include "python/program.h"

namespace ungate::python {

struct Meaning {
  enum class Kind : std::uint8_t { module, function, klass };
  Kind kind = Kind::module;
  ModuleId module = 0;
  source::Range range;     // of the definition with its decorators; of a module: empty
};

// What a name means at the top level of a module; nothing: a variable, or what no file of the program defines.
// Of several definitions the first.
std::optional<Meaning> meaning_of(Program& program, ModuleId module, Symbol name);

// What a name or an attribute means where it stands in a tree: imports and functions of its own first.
std::optional<Meaning> meaning_at(Program& program, const Tree& tree, ModuleId module, NodeId node);

}  // namespace ungate::python
