// Asking another program something short: its version, what it supports.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ungate::cli {

// What it writes to stdout (and stderr), up to 1 MB. Nothing if it cannot be started, ends with an
// error or has not ended after `seconds`; it is killed then.
std::optional<std::string> output_of(const std::vector<std::string>& command, int seconds = 10);

// An executable file of that name in the folders of PATH; empty: none.
std::string find_program(const std::string& name);

}  // namespace ungate::cli
