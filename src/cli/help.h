// Help texts: laid out for 80 columns, in the groups that the flags were declared with.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace ungate::cli {

// What `--help` prints for the program or one of its commands.
std::string help_text(const CLI::App& app);

// A command's short form of how to call it: "ungate audit [FLAGS] [PATH...]".
std::string usage_line(const CLI::App& app);

}  // namespace ungate::cli
