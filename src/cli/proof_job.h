// From edits to what a compiler is asked: which modules they touch, for which devices.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/analysis.h"
#include "prove/proof.h"
#include "prove/units.h"

namespace ungate::cli {

// What an audit knew of modules when it ended.
struct KnownModules {
  std::vector<prove::ModulePlan> modules;              // with a name
  std::map<std::string, arch::CodeTargetSet> built;    // by package: the code targets it builds for
  std::vector<gate::Gate> gates;
};

struct TouchedUnits {
  std::vector<prove::Work> work;
  std::vector<prove::KernelSource> kernels;
  std::vector<prove::Guard> guards;
  std::vector<std::string> folders;  // that a compiler searches
  std::vector<std::string> not_proved;
  // Of module_units(): what the audit says of each module for the first target: "admitted", a verdict, or
  // "described" where no gate was found that decides.
  std::map<std::string, std::string> judged;
};

// Audits the environment and keeps its modules.
Result<KnownModules> know_modules(const Subject& subject, const package::Environment& environment,
                                  const audit::Overlay* overlay);

struct TouchRequest {
  std::vector<std::string> files;     // edited
  std::vector<arch::Device> targets;
  bool quick = false;                 // the fewest units that hold the edits, for these targets alone
};
// Audits the edited texts: units that an edit reaches, or that are built for a target only now.
Result<TouchedUnits> touched_units(const Subject& subject, const package::Environment& environment,
                                   const audit::Overlay& overlay,
                                   const KnownModules& before, const TouchRequest& request);

// The units of modules as they are, for targets that the package need not build them for. `names`:
// "all" means every module. `not_found` for a name that no module has.
Result<TouchedUnits> module_units(const Subject& subject, const package::Environment& environment,
                                  const std::vector<std::string>& names,
                                  const std::vector<arch::Device>& targets);

}  // namespace ungate::cli
