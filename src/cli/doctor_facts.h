// What `ungate doctor` finds out.
#pragma once

#include <string>
#include <vector>

#include "cli/analysis.h"
#include "cli/doctor_libraries.h"
#include "cli/gpu.h"
#include "cli/machine.h"
#include "patch/prebuilt.h"
#include "patch/processes.h"

namespace ungate::cli {

struct DoctorFlags {
  EnvironmentFlags environment;
  TargetFlags target;
  std::vector<std::string> rules;
};

// A name that is served from several places, the first of which Python takes.
struct Shadowed {
  std::string name;
  std::vector<std::string> places;
};

struct Facts {
  std::vector<package::Environment> environments;
  std::string no_environment;  // why there is none
  std::vector<Shadowed> shadowed;
  std::vector<std::string> known;  // installed packages that there are rules for
  std::vector<patch::Prebuilt> prebuilt;
  std::vector<CacheUse> caches;
  std::vector<Toolchain> toolchains;
  std::vector<LibraryCopy> libraries;
  std::vector<arch::Device> targets;
  Library libclang, nccl;
  std::vector<Gpu> gpus;
  int driver = 0;
  std::string no_gpu;
  patch::ProcessReport processes;
};

// What a command, or the packages, need of the machine.
struct Need {
  std::string name, found;  // `found` empty: missing
  std::string without;      // what does not work then
};

// Fails only for what the user named: rules, a target, an environment.
Result<Facts> gather(const DoctorFlags& flags);
std::vector<Need> needs_of(const Facts& facts);

}  // namespace ungate::cli
