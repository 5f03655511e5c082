// What a command is. Each stands in a file of its own, which declares its flags and runs it.
//
// To add one: write src/cli/NAME.cc with a function as below, name it here and in the list of
// run.cc.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>

#include "base/error.h"
#include "cli/console.h"
#include "cli/output_flags.h"

namespace ungate::cli {

struct Command {
  CLI::App* app = nullptr;              // below the program's; holds name, summary and flags
  std::shared_ptr<OutputFlags> output;  // how its result and its failure are written
  // Runs after its flags were read. The result goes to console.show(), everything else to notes.
  std::function<Result<Exit>(Console&)> run;
};

// Groups of the program's help.
inline constexpr const char* kLook = "Look";
inline constexpr const char* kChange = "Change";
inline constexpr const char* kKernels = "Kernels";
inline constexpr const char* kAbout = "About";

Command audit_command(CLI::App& top);
Command explain_command(CLI::App& top);
Command objects_command(CLI::App& top);
Command trace_command(CLI::App& top);
Command diff_command(CLI::App& top);
Command plan_command(CLI::App& top);
Command apply_command(CLI::App& top);
Command prove_command(CLI::App& top);
Command revert_command(CLI::App& top);
Command status_command(CLI::App& top);
Command build_command(CLI::App& top);
Command verify_command(CLI::App& top);
Command bench_command(CLI::App& top);
Command doctor_command(CLI::App& top);
Command rules_command(CLI::App& top);
Command version_command(CLI::App& top);

}  // namespace ungate::cli
