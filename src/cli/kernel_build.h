// What `ungate build`, `verify` and `bench` share: the kernels' build, and running its programs.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cli/console.h"
#include "kernels/build.h"
#include "prove/process.h"

namespace ungate::cli {

struct KernelFlags {
  std::string target;  // empty: the first GPU of this machine
  std::string cache_folder;
  int jobs = 0;        // 0: as many as there are processors, up to 8
};
void declare(CLI::App& app, KernelFlags& flags);

// Compiles, or finds what was compiled before.
Result<kernels::Build> kernel_build(const KernelFlags& flags, bool programs, Console& console);

// Runs a program of the build; its output goes to the result, its complaints to stderr.
Result<prove::ProcessResult> run_kernels(const std::string& program, const std::vector<std::string>& arguments, Console& console);

// `devices`, or every GPU of this machine if that is empty: "0,1", four or eight of them, and "0,0" for
// the only one. `tool_missing` if there is none, before anything is compiled.
Result<std::string> device_list(const std::string& devices);

}  // namespace ungate::cli
