// From what the audit knows of modules to units that a compiler can be asked about.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gate/modules.h"
#include "gate/sources.h"
#include "prove/proof.h"

namespace ungate::prove {

// A module as its package would build it for some devices that get the same flags.
struct ModuleBuild {
  arch::DeviceSet devices;
  std::vector<arch::CodeTarget> targets;  // one a device, in their order
  std::vector<Unit> units;                // its CUDA sources
};

struct ModulePlan {
  std::string name;
  std::string package;                  // of its rules
  std::string builder;                  // the function that describes it
  arch::DeviceSet described;            // devices for which the package describes it
  std::vector<ModuleBuild> builds;      // for `described`
  std::vector<std::string> unknown;     // what could not be resolved, in words
  std::vector<std::vector<std::string>> files;  // of each source: what it includes below the import roots, itself first
  std::vector<std::string> sources;     // the same order
};

// `built` are the code targets of the package: see gate::built_targets(). `walk`: also find out which
// files each source includes.
ModulePlan plan_module(const gate::JitModule& module, arch::CodeTargetSet built, gate::CudaFiles& files, bool walk);

// The build for one device, as if the module were described for it: with the flags of the nearest
// described device that differ only in the code target.
std::optional<ModuleBuild> build_for(const ModulePlan& plan, arch::Device device, arch::CodeTargetSet built);

// What the sources say of the kernels in these files.
std::vector<KernelSource> kernel_sources(const std::vector<std::string>& paths, gate::CudaFiles& files);

}  // namespace ungate::prove
