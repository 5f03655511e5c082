// What is in the way of a module's sources on a device, once its gates are out of the way.
#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "gate/conditions.h"
#include "gate/judge.h"

namespace ungate::gate {
namespace {

using arch::CodeTarget;
using arch::CodeTargetSet;
using arch::Device;

// The code target that a package would build for a device: what it builds now, else the exact one.
CodeTarget code_target(CodeTargetSet built, Device device) {
  for (unsigned t : built & arch::code_targets_of(device)) return CodeTarget(t);
  if (auto exact = arch::find_code_target(device, arch::Suffix::exact)) return *exact;
  return CodeTarget(arch::code_targets_of(device).front());
}

}  // namespace

const Judge::ModuleVerdict& Judge::module_verdict(std::size_t m, Device target, const std::vector<std::string>& templates) {
  auto [entry, fresh] = verdicts_.try_emplace({m, target.index(), templates});
  if (fresh) entry->second = read_module(m, target, templates);
  return entry->second;
}

std::vector<Evidence> Judge::in_the_way(const WalkedModule& walked, CodeTarget code) {
  std::vector<Evidence> out;
  auto [lacking, fresh] = lacking_.try_emplace(code.index(), in_.knowledge.features, code);
  for (const std::string& path : walked.files) {
    const cuda::FileResult* result = walked.result(path);
    if (result != nullptr) lacking->second.find(path, *result, gate_arms_[path], in_.cuda, out);
    if (out.size() >= LackingFeatures::kEnough) break;
  }
  return out;
}

std::vector<std::string> Judge::templates_for(const Item& item, std::size_t m) const {
  const JitModule& module = modules_[m];
  if (module.templates.empty()) return {};
  Tests tests = module.under;
  bool inside = item.is_python() && item.holds.contains(m) && item.choice.tree != nullptr;
  if (inside) tests.merge(tests_around(*item.choice.tree, *in_.program[module.builder.module].file, item.gate.range.begin));
  std::vector<std::string> out;
  for (const Template& t : module.templates) {
    if (std::ranges::includes(tests, t.under)) out.push_back(t.path);
  }
  return out;
}

Judge::ModuleVerdict Judge::read_module(std::size_t m, Device target, const std::vector<std::string>& templates) {
  ModuleVerdict out;
  const JitModule& module = modules_[m];
  auto walked = walked_.find(m);
  if (walked == walked_.end()) walked = walked_.emplace(m, walk_module(module, in_.cuda)).first;
  const WalkedModule& w = walked->second;
  if (module.has_wrapper()) {
    out.evidence = instantiated_.lacking(module, w, target);
    if (!out.evidence.empty()) out.verdict = Verdict::capability;
    else out.unknown_because.push_back("which templates of module " + module.shown() + " are instantiated, and how, was not read");
    return out;
  }
  CodeTarget code = code_target(built_targets(in_.evaluation, in_.program, *module.rules), target);
  out.evidence = in_the_way(w, code);
  if (out.evidence.empty() && !templates.empty()) out.evidence = in_the_way(walk_templates(module, templates, in_.cuda), code);
  if (!out.evidence.empty()) {
    out.verdict = Verdict::capability;
    return out;
  }
  for (const std::string& what : module.unknown) out.unknown_because.push_back("module " + module.shown() + ": " + what);
  for (const auto* missing : {&w.missing_sources, &w.missing_headers}) {
    for (const std::string& name : *missing) out.unknown_because.push_back("not there: " + name);
  }
  if (!out.unknown_because.empty() || w.files.empty()) return out;
  out.verdict = Verdict::policy;
  out.evidence.push_back({fmt::format("module {}: {} of {} read, no instruction that {} lacks", module.name,
                                      text::count(w.files.size(), "file"), text::count(module.sources.size(), "unit"), code.name()),
                          module.sources.empty() ? "" : module.sources.front()});
  return out;
}

// Where a module's sources ask for more shared memory than a block has unasked; empty: nowhere.
std::string Judge::dynamic_shared_memory(std::size_t m) {
  auto walked = walked_.find(m);
  if (walked == walked_.end()) return {};
  for (const std::string& path : walked->second.files) {
    bool own = path.starts_with(modules_[m].package->folder + '/');
    const source::SourceFile* file = own ? in_.cuda.file(path) : nullptr;
    if (file == nullptr) continue;
    for (std::string_view name : {"cudaFuncAttributeMaxDynamicSharedMemorySize", "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"}) {
      std::size_t at = file->text().find(name);
      if (at != std::string_view::npos) return file->at(static_cast<std::uint32_t>(at));
    }
  }
  return {};
}

std::vector<Evidence> Judge::in_each_of(const std::set<std::size_t>& modules, Device target) {
  std::vector<Evidence> out;
  for (std::size_t m : modules) {
    // Of what is compiled without a wrapper some serves one device and some another.
    if (!modules_[m].has_wrapper()) return {};
    const ModuleVerdict& v = module_verdict(m, target, {});
    if (v.verdict != Verdict::capability) return {};
    if (out.empty()) out = v.evidence;
  }
  return out;
}

std::vector<Evidence> Judge::in_modules_of(python::ModuleId python_module, source::Range definition, Device target) {
  std::set<std::size_t> described;
  for (std::size_t m = 0; m < modules_.size(); ++m) {
    const python::Place& builder = modules_[m].builder;   // with its decorators
    bool here = builder.module == python_module && (builder.range.contains(definition) || definition.contains(builder.range));
    if (here) described.insert(m);
  }
  return in_each_of(described, target);
}

// `if major == 12: raise …` in a builder: what it would build there.
std::vector<Evidence> Judge::behind_refusal(const Item& item, Device target) {
  const python::Choice& c = item.choice;
  bool refuses = c.position == python::Choice::Position::condition && c.refusal == python::Refusal::raises && c.serves == 0;
  std::set<std::size_t> behind;
  for (std::size_t m : item.holds) {
    if (modules_[m].call.range.begin > c.place.range.end) behind.insert(m);
  }
  return refuses ? in_each_of(behind, target) : std::vector<Evidence>();
}

bool Judge::of_library(const Evidence& e, const std::set<std::size_t>& modules) const {
  return std::ranges::any_of(modules, [&](std::size_t m) {
    return std::ranges::any_of(modules_[m].rules->libraries, [&](const std::string& folder) { return e.where.starts_with(folder + '/'); });
  });
}

}  // namespace ungate::gate
