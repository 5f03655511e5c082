// Templates: files that a builder opens to make the sources of a module from (internal).
//
// A builder with an arm a backend opens other files in each. A template counts for a place only when every
// test that it stands under holds there too, by the text of the tests.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "python/evaluate.h"

namespace ungate::gate {

using Tests = std::set<std::string>;   // "backend == "fa3"", "not use_fp8"

struct Template {
  std::string path;                    // relative to an import root
  Tests under;
};

// The tests of the if statements around a place: those of the arms it stands in, and the negated last test
// of a chain whose else it stands in.
Tests tests_around(const python::Tree& tree, const source::SourceFile& file, std::uint32_t offset);

// Source files and templates of source files that the function at `function` opens.
std::vector<Template> templates_of(const python::Evaluation& evaluation, const python::Program& program,
                                   python::ModuleId module, source::Range function);

}  // namespace ungate::gate
