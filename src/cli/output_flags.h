// Flags that say how a command's result is written. Every command has them.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace ungate::cli {

enum class Format : std::uint8_t { human, concise, json, jsonl };
std::string_view name_of(Format format);

// One thing to write, and where.
struct Wanted {
  Format format = Format::human;
  std::string file;  // empty: stdout
};

struct OutputFlags {
  std::vector<std::string> formats;  // as given: "json", "json=out.json"
  std::vector<Format> allowed;       // the first is the default
  std::string output;                // -o
  bool quiet = false;
  int verbose = 0;
  std::string colour = "auto", progress = "auto";

  // What the flags ask for; at most one goes to stdout. `usage` if they contradict each other.
  Result<std::vector<Wanted>> wanted() const;
  // True if JSON was asked for (also where the flags are wrong otherwise), and where it goes.
  bool wants_json(std::string& file) const;
};

// Adds --format (if there is more than one to choose from), -o, -q, -v, --color, --progress.
void declare(CLI::App& app, OutputFlags& flags, std::vector<Format> allowed);

// A boolean flag with its twin: "--strict" also declares "--no-strict"; the last one wins.
CLI::Option* declare_switch(CLI::App& app, const std::string& names, bool& value,
                            const std::string& help);

// --cache and --cache-dir, of commands that keep what they found out.
void declare_cache(CLI::App& app, bool& cache, std::string& folder);

inline constexpr const char* kOutputGroup = "Output";

}  // namespace ungate::cli
