#include "prove/units.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace ungate::prove {
namespace {

constexpr std::string_view kGencode = "-gencode=";

// The code target that flags name for a device: "-gencode=arch=compute_120a,code=sm_120a".
std::optional<arch::CodeTarget> named_target(const std::vector<std::string>& flags, arch::Device device) {
  for (const std::string& flag : flags) {
    std::size_t at = flag.find("code=");
    if (!flag.starts_with(kGencode) || at == flag.npos) continue;
    auto target = arch::parse_code_target(std::string_view(flag).substr(at + 5));
    if (target && target->device() == device) return target;
  }
  return std::nullopt;
}

// What the package builds for by itself; else code for exactly the device.
arch::CodeTarget usual_target(arch::CodeTargetSet built, arch::Device device) {
  arch::CodeTargetSet own = arch::code_targets_of(device);
  if (arch::CodeTargetSet both = own & built; !both.empty()) return arch::CodeTarget(both.front());
  auto exact = arch::find_code_target(device, arch::Suffix::exact);
  return exact ? *exact : arch::CodeTarget(own.front());
}

std::vector<std::string> unit_flags(const gate::JitModule& module, const std::vector<std::string>& own) {
  bool has_standard = std::ranges::any_of(own, [](const std::string& f) { return f.starts_with("-std="); });
  std::vector<std::string> out;
  for (const std::string& flag : module.rules->nvcc_flags) {
    if (!has_standard || !flag.starts_with("-std=")) out.push_back(flag);
  }
  std::set<std::string> macros;
  for (const std::string& macro : module.rules->macros) {
    if (macros.insert(macro).second) out.push_back("-D" + macro);
  }
  for (const std::string& flag : own) {
    bool again = flag.starts_with("-D") && !macros.insert(flag.substr(2)).second;
    // How many threads nvcc uses, and the messages it prints, are ours.
    if (!again && !flag.starts_with(kGencode) && !flag.starts_with("--threads") && !flag.starts_with("-t=") && flag != "-v")
      out.push_back(flag);
  }
  return out;
}

std::vector<Unit> units_with(const gate::JitModule& module, const std::vector<std::string>& flags) {
  std::vector<Unit> out;
  for (const std::string& source : module.sources) {
    Unit unit{module.name, source, module.include_paths, flags};
    if (unit.is_cuda()) out.push_back(std::move(unit));
  }
  return out;
}

void add_build(ModulePlan& plan, const gate::JitModule& module, arch::Device device, const std::vector<std::string>& own,
               arch::CodeTargetSet built) {
  std::vector<std::string> flags = unit_flags(module, own);
  auto named = named_target(own, device);
  arch::CodeTarget target = named ? *named : usual_target(built, device);
  for (ModuleBuild& b : plan.builds) {
    if (b.units.empty() || b.units.front().flags != flags) continue;
    b.devices |= arch::DeviceSet::of(device.index());
    b.targets.push_back(target);
    return;
  }
  plan.builds.push_back({arch::DeviceSet::of(device.index()), {target}, units_with(module, flags)});
}

// "1024", "48 * 1024", "(96 << 10)": a number; nothing for what the text alone does not tell.
std::optional<std::uint64_t> number_of(std::string_view text) {
  std::string plain;
  for (char c : text) {
    if (c != '(' && c != ')' && c != ' ') plain += c;
  }
  std::size_t shift = plain.find("<<");
  if (shift != plain.npos) {
    auto left = number_of(std::string_view(plain).substr(0, shift)), right = number_of(std::string_view(plain).substr(shift + 2));
    return left && right && *right < 32 ? std::optional(*left << *right) : std::nullopt;
  }
  std::uint64_t product = 1;
  for (std::string_view factor : text::split(plain, '*')) {
    std::int64_t n = 0;
    while (!factor.empty() && std::string_view("uUlL").find(factor.back()) != std::string_view::npos) factor.remove_suffix(1);
    if (!text::parse_int(factor, n) || n < 0 || n > INT32_MAX) return std::nullopt;
    product *= static_cast<std::uint64_t>(n);
  }
  return product;
}

void add_dynamic(KernelSource& kernel, Symbol name, const cuda::Launch& launch, const source::SourceFile& file) {
  KernelSource::Dynamic asked{launch.dynamic_shared, file.at(launch.range.begin), number_of(launch.dynamic_shared)};
  if (asked.text.empty() || asked.bytes == 0) return;
  auto same = [&](const KernelSource::Dynamic& d) { return d.text == asked.text; };
  kernel.name = name.text();
  if (std::ranges::none_of(kernel.dynamic, same)) kernel.dynamic.push_back(std::move(asked));
}

}  // namespace

ModulePlan plan_module(const gate::JitModule& module, arch::CodeTargetSet built, gate::CudaFiles& files, bool walk) {
  ModulePlan plan;
  plan.name = module.name;
  plan.package = module.package->package;
  plan.builder = module.builder_name.text();
  plan.described = module.described & arch::known_devices();
  plan.unknown = module.unknown;
  if (module.has_wrapper()) plan.unknown.push_back("what its wrapper makes of its templates (it is not compiled here)");
  plan.sources = module.sources;
  bool partly = false;
  for (unsigned d : plan.described) {
    const gate::ModuleFlags* flags = nullptr;
    for (const gate::ModuleFlags& f : module.nvcc_flags) {
      if (f.devices.has(d)) flags = &f;
    }
    partly = partly || (flags != nullptr && !flags->complete);
    add_build(plan, module, arch::Device(d), flags == nullptr ? std::vector<std::string>{} : flags->flags, built);
  }
  if (partly) plan.unknown.push_back("some of its nvcc flags");
  if (!walk) return plan;
  cuda::Preprocessor& preprocessor = files.preprocessor(module.rules->absent_macros);
  for (const std::string& source : module.sources) {
    auto unit = preprocessor.walk({source, module.include_paths, module.macros});
    if (!unit) plan.unknown.push_back("source " + source + " is not there");
    plan.files.push_back(unit ? std::move(unit->files) : std::vector<std::string>{});
  }
  return plan;
}

std::optional<ModuleBuild> build_for(const ModulePlan& plan, arch::Device device, arch::CodeTargetSet built) {
  for (const ModuleBuild& b : plan.builds) {
    std::size_t i = 0;
    for (unsigned d : b.devices) {
      if (d == device.index() && i < b.targets.size()) return ModuleBuild{arch::DeviceSet::of(d), {b.targets[i]}, b.units};
      ++i;
    }
  }
  if (plan.builds.empty()) return std::nullopt;
  const ModuleBuild& nearest = plan.builds.back();
  return ModuleBuild{arch::DeviceSet::of(device.index()), {usual_target(built, device)}, nearest.units};
}

std::vector<KernelSource> kernel_sources(const std::vector<std::string>& paths, gate::CudaFiles& files) {
  files.link(paths);
  struct Body {
    std::set<std::string> calls;
    bool waits = false;
  };
  std::map<std::string, Body> functions;
  std::map<std::string, KernelSource> kernels;
  const std::vector<std::string>& waits = files.vocabulary().waits;
  auto is_wait = [&](std::string_view name) { return std::ranges::find(waits, name) != waits.end(); };
  for (const std::string& path : paths) {
    const source::SourceFile* file = files.file(path);
    if (file == nullptr) continue;
    const cuda::Structure& s = files.structure(path);
    auto body = [&](std::uint32_t f) -> Body& { return functions[std::string(s.functions[f].name.text())]; };
    for (const cuda::Function& f : s.functions) {
      if (f.is_kernel) kernels[std::string(f.name.text())].name = f.name.text();
    }
    for (const cuda::Call& call : s.calls) {
      if (call.function == cuda::kNone) continue;
      body(call.function).calls.insert(std::string(call.name.text()));
      if (is_wait(call.name.text())) body(call.function).waits = true;
    }
    for (const cuda::Assembly& a : s.assembly) {
      if (a.function != cuda::kNone && std::ranges::any_of(a.mnemonics, [&](Symbol m) { return is_wait(m.text()); }))
        body(a.function).waits = true;
    }
    for (const cuda::Launch& launch : s.launches) {
      using Is = cuda::Setting::Is;
      for (Symbol kernel : launch.kernels) add_dynamic(kernels[std::string(kernel.text())], kernel, launch, *file);
      if (launch.programmatic.is != Is::yes && launch.programmatic.is != Is::conditional) continue;
      for (Symbol kernel : launch.kernels) {
        KernelSource& k = kernels[std::string(kernel.text())];
        k.name = kernel.text();
        if (!k.programmatic.empty()) continue;
        k.programmatic = file->at(launch.range.begin);
        k.condition = launch.programmatic.is == Is::conditional ? launch.programmatic.condition : "";
      }
    }
  }
  std::vector<KernelSource> out;
  for (auto& [name, kernel] : kernels) {
    std::set<std::string> seen{name};
    std::vector<std::string> waiting{name};
    while (!waiting.empty() && !kernel.waits) {
      auto f = functions.find(waiting.back());
      waiting.pop_back();
      if (f == functions.end()) continue;
      kernel.waits = f->second.waits;
      for (const std::string& callee : f->second.calls) {
        if (seen.insert(callee).second) waiting.push_back(callee);
      }
    }
    out.push_back(std::move(kernel));
  }
  return out;
}

}  // namespace ungate::prove
