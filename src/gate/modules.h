// JIT modules: what a package's builders describe, and what the compiler would see of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gate/knowledge.h"
#include "gate/sources.h"
#include "gate/templates.h"
#include "python/evaluate.h"

namespace ungate::gate {

// The flags that a module gives the device compiler for some devices.
struct ModuleFlags {
  arch::DeviceSet devices;
  std::vector<std::string> flags;
  bool complete = true;              // no other ones
};

struct JitModule {
  std::string name;                  // "trtllm_comm"; empty: depends on arguments
  python::Place builder;             // the function that describes it
  Symbol builder_name;
  python::Place call;                // of the describing function
  arch::DeviceSet described;         // devices on which the description is reached
  std::vector<std::string> sources;  // relative to an import root
  std::vector<std::string> entries;  // what its wrapper instantiates, without arguments that are not known: "Kernel<>::run"
  std::vector<std::string> include_paths, macros;
  std::vector<ModuleFlags> nvcc_flags;  // by device, the macros among them; the package's own are in rules
  bool complete = false;             // all sources, folders and macros are known
  std::vector<std::string> unknown;  // what is not, in words
  std::vector<Template> templates;   // what generated sources are made from
  Tests under;                       // tests around the describing call
  const JitRules* rules = nullptr;
  const PackageRules* package = nullptr;

  // What reports call it: by its builder where its name depends on arguments.
  std::string shown() const { return name.empty() ? std::string(builder_name.text()) : name; }
  // Its sources are headers of templates, of which a generated wrapper instantiates some.
  bool has_wrapper() const { return !rules->wrappers.empty(); }
};

// The modules that were captured, by the rules of the packages they belong to. Relative sources are looked for in
// `files`.
std::vector<JitModule> jit_modules(const python::Evaluation& evaluation, const python::Program& program,
                                   const std::vector<PackageRules>& packages, CudaFiles& files);

// The code targets that a package builds for, one a device at most (suffix and all).
arch::CodeTargetSet built_targets(python::Evaluation& evaluation, const python::Program& program, const JitRules& rules);

// A module's units walked with its macros.
struct WalkedModule {
  const cuda::Preprocessor* preprocessor = nullptr;
  std::vector<std::uint32_t> visits;   // of the preprocessor: those of the module's units
  std::vector<std::string> files;    // every file reached, sources first
  std::vector<std::string> missing_sources;
  std::vector<std::string> missing_headers;   // of those that could hold kernels, as included
  // Exported operators and the kernels that each reaches, by name through the calls of the files.
  struct Op {
    std::string name;
    std::string function;            // its entry
    std::vector<std::string> reaches;  // functions and kernels, by name
  };
  std::vector<Op> ops;

  const cuda::FileResult* result(const std::string& path) const { return preprocessor->result(path, visits); }
};
WalkedModule walk_module(const JitModule& module, CudaFiles& files);
// The same for some of its templates: all that can be said of generated sources.
WalkedModule walk_templates(const JitModule& module, const std::vector<std::string>& paths, CudaFiles& files);

// Fills in `ops` from the structures of these files of the module.
void read_ops(WalkedModule& walked, const std::vector<std::string>& paths, CudaFiles& files);

}  // namespace ungate::gate
