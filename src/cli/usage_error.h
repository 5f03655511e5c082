// What is wrong with a command line, in this program's words.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "base/error.h"

namespace ungate::cli {

// `words` are the arguments that `top` could not parse.
Error usage_error(const CLI::App& top, const CLI::ParseError& error,
                  const std::vector<std::string>& words);

// The command that was being parsed, or the program itself.
const CLI::App* deepest(const CLI::App& top);

}  // namespace ungate::cli
