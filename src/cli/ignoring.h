// --ignore and --baseline: findings that a project knows already.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "audit/suppress.h"
#include "cli/console.h"

namespace ungate::cli {

struct IgnoreFlags {
  std::string file, baseline;
};
// Both flags, or --ignore alone.
void declare(CLI::App& app, IgnoreFlags& flags, bool baseline);

struct Ignored {
  audit::Suppressions suppressions;
  std::optional<audit::Records> baseline;
  bool any = false;  // a file was read: what is left out depends on it, and on the day
};
// Reads ungate.ignore.yaml of the working folder where --ignore names no file. Entries that have
// expired are noted.
Result<Ignored> load_ignored(const IgnoreFlags& flags, Console& console);

// Takes what is known out of a report, which says so among what was not checked.
void leave_out(audit::Report& report, const Ignored& ignored);

}  // namespace ungate::cli
