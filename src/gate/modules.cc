#include "gate/modules.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "value/operators.h"

namespace ungate::gate {
namespace {

using value::Kind;
using value::ValueId;

// The texts of a list of texts and paths; notes what is not known.
std::vector<std::string> texts(const value::Store& s, ValueId list, std::string_view what, JitModule& module) {
  std::vector<std::string> out;
  if (s.kind(list) == Kind::none || s.is_absent(list)) return out;
  if (!value::is_container(s.kind(list)) || s.node(list).open) {
    module.unknown.push_back(std::string(what) + " of the module");
    module.complete = false;
  }
  if (!value::is_container(s.kind(list))) return out;
  for (ValueId item : s.items(list)) {
    if (s.kind(item) == Kind::string || s.kind(item) == Kind::path) {
      out.emplace_back(s.text(item));
    } else {
      std::string text = "one of the " + std::string(what) + ": " + s.to_text(item);
      if (std::ranges::find(module.unknown, text) == module.unknown.end()) module.unknown.push_back(std::move(text));
      module.complete = false;
    }
  }
  return out;
}

// "norm_bf16_128" of ("norm", "bf16", 128); empty where a part depends on arguments.
std::string joined_name(const value::Store& s, ValueId parts) {
  if (s.kind(parts) == Kind::string) return std::string(s.text(parts));
  std::string out;
  if (!value::is_container(s.kind(parts)) || s.node(parts).open) return out;
  for (ValueId part : s.items(parts)) {
    auto text = value::str(s, part);
    if (!text) return {};
    out += (out.empty() ? "" : "_") + *text;
  }
  return out;
}

// Where a source lies that is given relative to the package's own folders.
std::string found_source(const std::string& source, const JitRules& rules, CudaFiles& files) {
  for (const std::string& folder : rules.source_folders) {
    if (std::string path = folder + '/' + source; files.file(path) != nullptr) return path;
  }
  return source;
}

// A text as it is written, with nothing for what an f-string puts in.
std::string written(const python::Tree& t, python::NodeId id) {
  std::string out;
  if (t[id].kind == python::NodeKind::constant) return std::string(t[id].name.text());
  if (t[id].kind != python::NodeKind::fstring) return out;
  for (python::NodeId piece : t.children(id)) {
    if (t[piece].kind == python::NodeKind::constant) out += t[piece].name.text();
  }
  return out;
}

// The second of each pair below a call's keyword: `cuda_wrappers=[("run", f"Kernel<{args}>::run")]`.
void add_entries(const python::Tree& t, python::NodeId id, std::vector<std::string>& out) {
  if (t[id].kind == python::NodeKind::tuple && t[id].count == 2) {
    if (std::string entry = written(t, t.child(id, 1)); !entry.empty()) out.push_back(std::move(entry));
    return;
  }
  for (python::NodeId child : t.children(id)) add_entries(t, child, out);
}

void add_entries(const python::Capture& c, const std::vector<std::string>& keywords, JitModule& module) {
  if (c.tree == nullptr || keywords.empty()) return;
  const python::Tree& t = *c.tree;
  for (python::NodeId id = 1; id < t.nodes.size(); ++id) {
    bool wrapper = t[id].kind == python::NodeKind::keyword && c.place.range.contains(t[id].range) &&
                   std::ranges::find(keywords, t[id].name.text()) != keywords.end();
    if (wrapper) add_entries(t, id, module.entries);
  }
}

// The argument on the first device that has one: sources and folders do not follow the device.
ValueId argument(const python::Evaluation& e, const python::Capture& c, std::string_view name) {
  for (const auto& [parameter, value] : c.arguments) {
    if (parameter.text() != name) continue;
    ValueId out = e.store().absent();
    e.lifted().each(value, [&](arch::DeviceSet, ValueId v) {
      if (e.store().is_absent(out)) out = v;
    });
    return out;
  }
  return e.store().none();
}

void add_macros(const std::vector<std::string>& flags, JitModule& module) {
  for (const std::string& flag : flags) {
    if (flag.starts_with("-D")) module.macros.push_back(flag.substr(2));
  }
}

// The flags for each device, the first alternative where there are several.
void add_flags(const python::Evaluation& e, const python::Capture& c, std::string_view name, JitModule& module) {
  const value::Store& s = e.store();
  for (const auto& [parameter, value] : c.arguments) {
    if (name.empty() || parameter.text() != name) continue;
    e.lifted().each(value, [&](arch::DeviceSet devices, ValueId list) {
      for (const ModuleFlags& known : module.nvcc_flags) devices -= known.devices;
      if (devices.empty() || s.is_absent(list)) return;
      ModuleFlags out{devices, {}, true};
      if (value::is_container(s.kind(list))) {
        out.complete = !s.node(list).open;
        for (ValueId item : s.items(list)) {
          if (s.kind(item) == Kind::string) out.flags.emplace_back(s.text(item));
          else out.complete = false;
        }
      } else if (s.kind(list) != Kind::none) {
        out.complete = false;
      }
      module.nvcc_flags.push_back(std::move(out));
    });
  }
}

}  // namespace

std::vector<JitModule> jit_modules(const python::Evaluation& evaluation, const python::Program& program,
                                   const std::vector<PackageRules>& packages, CudaFiles& files) {
  std::vector<JitModule> out;
  const value::Store& s = evaluation.store();
  for (const python::Capture& capture : evaluation.captures()) {
    const PackageRules* package = nullptr;
    for (const PackageRules& p : packages) {
      if (p.jit && std::ranges::find(p.jit->builders, capture.callee) != p.jit->builders.end()) package = &p;
    }
    if (package == nullptr) continue;
    const JitRules& rules = *package->jit;
    JitModule module;
    module.rules = &rules;
    module.package = package;
    module.complete = true;
    module.call = capture.place;
    module.builder = {capture.place.module, capture.function_range};
    module.builder_name = capture.function;
    module.described = capture.alive;
    module.name = joined_name(s, argument(evaluation, capture, rules.name));
    for (const std::string& parameter : rules.sources) {
      for (const std::string& source : texts(s, argument(evaluation, capture, parameter), "sources", module)) {
        module.sources.push_back(found_source(source, rules, files));
      }
    }
    add_entries(capture, rules.wrappers, module);
    module.include_paths = texts(s, argument(evaluation, capture, rules.include_paths), "include folders", module);
    module.include_paths.insert(module.include_paths.end(), rules.include_folders.begin(), rules.include_folders.end());
    module.macros = rules.macros;
    if (!rules.cuda_flags.empty()) add_macros(texts(s, argument(evaluation, capture, rules.cuda_flags), "nvcc flags", module), module);
    add_flags(evaluation, capture, rules.cuda_flags, module);
    if (!module.complete) {
      module.templates = templates_of(evaluation, program, module.builder.module, module.builder.range);
      if (capture.tree != nullptr) module.under = tests_around(*capture.tree, *program[module.call.module].file, module.call.range.begin);
    }
    auto same = [&](const JitModule& m) { return m.call == module.call && m.name == module.name && m.sources == module.sources; };
    auto known = std::ranges::find_if(out, same);
    if (known == out.end()) out.push_back(std::move(module));
    else {
      known->described |= module.described;
      std::ranges::move(module.nvcc_flags, std::back_inserter(known->nvcc_flags));
    }
  }
  std::ranges::stable_sort(out, {}, [&](const JitModule& m) { return std::pair<std::string_view, std::uint32_t>(program[m.call.module].path, m.call.range.begin); });
  return out;
}

arch::CodeTargetSet built_targets(python::Evaluation& evaluation, const python::Program& program, const JitRules& rules) {
  arch::CodeTargetSet out;
  std::size_t dot = rules.targets_global.rfind('.');
  if (dot == std::string::npos) return out;
  auto module = program.find(Symbol(std::string_view(rules.targets_global).substr(0, dot)));
  if (!module) return out;
  value::Lifted list = evaluation.field(*module, std::string_view(rules.targets_global).substr(dot + 1), rules.targets_field);
  const value::Store& s = evaluation.store();
  evaluation.lifted().each(list, [&](arch::DeviceSet, ValueId v) {
    if (!value::is_container(s.kind(v))) return;
    for (ValueId pair : s.items(v)) {
      if (s.kind(pair) != Kind::tuple || s.items(pair).size() != 2) continue;
      auto major = value::str(s, s.items(pair)[0]), minor = value::str(s, s.items(pair)[1]);
      if (!major || !minor) continue;
      if (auto target = arch::parse_code_target(*major + '.' + *minor)) out |= arch::CodeTargetSet::of(target->index());
    }
  });
  return out;
}

namespace {

// What each function of the files calls or launches, by name: enough to tell which operator reaches a
// kernel. Overloads and templates of one name count as one.
std::map<std::string, std::set<std::string>> call_map(const std::vector<std::string>& paths, CudaFiles& files) {
  std::map<std::string, std::set<std::string>> out;
  for (const std::string& path : paths) {
    const cuda::Structure& s = files.structure(path);
    auto name = [&](std::uint32_t function) { return std::string(s.functions[function].name.text()); };
    for (const cuda::Call& call : s.calls) {
      if (call.function != cuda::kNone) out[name(call.function)].insert(std::string(call.name.text()));
    }
    for (const cuda::Launch& launch : s.launches) {
      if (launch.function == cuda::kNone) continue;
      for (Symbol kernel : launch.kernels) out[name(launch.function)].insert(std::string(kernel.text()));
    }
  }
  return out;
}

std::vector<std::string> closure(const std::map<std::string, std::set<std::string>>& calls, const std::string& from) {
  std::set<std::string> seen{from};
  std::vector<std::string> waiting{from};
  while (!waiting.empty()) {
    auto next = calls.find(waiting.back());
    waiting.pop_back();
    if (next == calls.end()) continue;
    for (const std::string& callee : next->second) {
      if (seen.insert(callee).second) waiting.push_back(callee);
    }
  }
  return {seen.begin(), seen.end()};
}

}  // namespace

WalkedModule walk_module(const JitModule& module, CudaFiles& files) {
  return walk_templates(module, module.sources, files);
}

namespace {

// Headers of the language have no folder or end.
bool may_hold_kernels(const cuda::MissingInclude& header, const JitRules& rules) {
  if (rules.outside_headers.empty() || (header.angled && header.name.find_first_of("./") == std::string::npos)) return false;
  return std::ranges::none_of(rules.outside_headers, [&](const std::string& start) { return header.name.starts_with(start); });
}

}  // namespace

WalkedModule walk_templates(const JitModule& module, const std::vector<std::string>& paths, CudaFiles& files) {
  WalkedModule out;
  std::unordered_set<std::string> seen;
  cuda::Preprocessor& preprocessor = files.preprocessor(module.rules->absent_macros);
  out.preprocessor = &preprocessor;
  for (const std::string& source : paths) {
    auto unit = preprocessor.walk({source, module.include_paths, module.macros});
    if (!unit) {
      out.missing_sources.push_back(source);
      continue;
    }
    for (const std::string& file : unit->files) {
      if (seen.insert(file).second) out.files.push_back(file);
    }
    out.visits.insert(out.visits.end(), unit->visits.begin(), unit->visits.end());
    for (const cuda::MissingInclude& header : unit->missing) {
      if (may_hold_kernels(header, *module.rules)) out.missing_headers.push_back(header.name);
    }
  }
  std::ranges::sort(out.visits);
  auto repeated = std::ranges::unique(out.visits);
  out.visits.erase(repeated.begin(), repeated.end());
  return out;
}

void read_ops(WalkedModule& walked, const std::vector<std::string>& paths, CudaFiles& files) {
  auto calls = call_map(paths, files);
  for (const std::string& path : paths) {
    for (const cuda::Export& e : files.structure(path).exports) {
      std::string function(e.function.text());
      walked.ops.push_back({std::string(e.op.text()), function, closure(calls, function)});
    }
  }
}

}  // namespace ungate::gate
