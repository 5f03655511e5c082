// rules/sources.yaml and rules/sinks.yaml into the evaluator's knowledge.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "python/knowledge.h"

namespace ungate::rules {

// Adds what a file says; a later file adds to and overrides an earlier one.
Status load_sources(std::string_view text, const std::string& file, python::Knowledge& into);
Status load_sinks(std::string_view text, const std::string& file, python::Knowledge& into);

}  // namespace ungate::rules
