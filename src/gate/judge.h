// Effects and verdicts (internal).
#pragma once

#include <unordered_map>

#include "gate/evidence.h"
#include "gate/foreign_code.h"
#include "gate/instantiated.h"
#include "gate/links.h"
#include "gate/parts.h"
#include "gate/python_kernels.h"

namespace ungate::gate {

class Judge {
 public:
  Judge(const Inputs& inputs, std::vector<Item>& items, const std::vector<JitModule>& modules,
        std::map<std::size_t, WalkedModule>& walked)
      : in_(inputs), items_(items), modules_(modules), walked_(walked),
        parts_(inputs.knowledge, inputs.program, inputs.evaluation), foreign_(inputs.knowledge, inputs.cuda),
        instantiated_(inputs.cuda, foreign_), kernels_(inputs.knowledge, inputs.program, [this](python::ModuleId module, source::Range definition, arch::Device target) {
          return in_modules_of(module, definition, target);
        }) {}

  void judge();

 private:
  // What is in the way of a module on a device, once its gates are out of the way.
  struct ModuleVerdict {
    Verdict verdict = Verdict::unknown;
    std::vector<Evidence> evidence;
    std::vector<std::string> unknown_because;
  };
  const ModuleVerdict& module_verdict(std::size_t module, arch::Device target, const std::vector<std::string>& templates);
  ModuleVerdict read_module(std::size_t module, arch::Device target, const std::vector<std::string>& templates);
  // What a walk holds that the target lacks.
  std::vector<Evidence> in_the_way(const WalkedModule& walked, arch::CodeTarget code);
  std::string dynamic_shared_memory(std::size_t module);
  // What each of the modules compiles in any case and the device lacks; empty: one of them nothing.
  std::vector<Evidence> in_each_of(const std::set<std::size_t>& modules, arch::Device target);
  // The same for those that a definition describes.
  std::vector<Evidence> in_modules_of(python::ModuleId python_module, source::Range definition, arch::Device target);
  std::vector<Evidence> behind_refusal(const Item& item, arch::Device target);
  bool of_library(const Evidence& evidence, const std::set<std::size_t>& modules) const;   // it stands in another project's header
  // The templates of a module that surely count for a gate.
  std::vector<std::string> templates_for(const Item& item, std::size_t module) const;
  bool holds_measured_sizes(const Item& item) const;
  const PackageNote* note_for(const Item& item, const JitModule* module, arch::Device target) const;
  void judge(Item& item, std::size_t t);
  void judge_with_libraries(Item& item, std::size_t t);
  bool repeat(Item& item, std::size_t t);
  bool as_its_uses(ItemId item, std::size_t t);
  bool repeat_over_admission(Item& item, std::size_t t);
  // over_admission.cc
  void over_admits(Item& item, std::size_t t);
  void guard_over_admits(Item& item, std::size_t t);
  source::Range guarded_text(const Item& item);
  bool belies_its_name(Item& item, Standing& s);
  void find_unmet_bounds(std::size_t t);
  void revoke_wrong_arms(std::size_t t);
  void by_modules(Item& item, Standing& standing, const std::set<std::size_t>& modules);
  void by_instructions(Item& item, Standing& standing);
  void by_arm(Item& item, Standing& standing);
  void by_shared_memory(Item& item, Standing& standing);
  void against_detection(Standing& standing, const std::set<std::size_t>& modules);

  const Inputs& in_;
  std::vector<Item>& items_;
  const std::vector<JitModule>& modules_;
  std::map<std::size_t, WalkedModule>& walked_;
  Parts parts_;
  ForeignCode foreign_;
  Instantiated instantiated_;
  PythonKernels kernels_;
  std::map<std::tuple<std::size_t, unsigned, std::vector<std::string>>, ModuleVerdict> verdicts_;
  std::map<unsigned, LackingFeatures> lacking_;   // by code target
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> gate_arms_;   // by path: arms that are gates
};

}  // namespace ungate::gate
