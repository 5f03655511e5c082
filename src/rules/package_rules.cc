#include "rules/package_rules.h"

#include "base/text.h"
#include "rules/yaml.h"

namespace ungate::rules {
namespace {

gate::JitRules load_jit(const Yaml& node) {
  node.allow({"builder", "parameters", "source_folders", "targets", "include_folders", "libraries", "macros", "absent_macros", "outside_headers",
              "nvcc_flags", "compiler_variables"});
  gate::JitRules jit;
  for (const std::string& name : node["builder"].texts()) jit.builders.emplace_back(name);
  if (jit.builders.empty()) node.required("builder");
  Yaml parameters = node["parameters"];
  parameters.allow({"name", "sources", "wrappers", "cuda_flags", "flags", "include_paths"});
  jit.name = parameters["name"].text_or("");
  jit.sources = parameters["sources"].texts();
  jit.wrappers = parameters["wrappers"].texts();
  jit.cuda_flags = parameters["cuda_flags"].text_or("");
  jit.flags = parameters["flags"].text_or("");
  jit.include_paths = parameters["include_paths"].text_or("");
  jit.source_folders = node["source_folders"].texts();
  if (node["targets"].exists()) {
    node["targets"].allow({"global", "field"});
    jit.targets_global = node["targets"].required("global");
    jit.targets_field = node["targets"].required("field");
  }
  jit.include_folders = node["include_folders"].texts();
  jit.libraries = node["libraries"].texts();
  jit.macros = node["macros"].texts();
  jit.nvcc_flags = node["nvcc_flags"].texts();
  jit.compiler_variables = node["compiler_variables"].texts();
  jit.absent_macros = node["absent_macros"].texts();
  jit.outside_headers = node["outside_headers"].texts();
  return jit;
}

gate::Verdict load_verdict(const Yaml& node) {
  std::string verdict = node.required("verdict");
  if (verdict == "policy") return gate::Verdict::policy;
  if (verdict == "capability") return gate::Verdict::capability;
  if (verdict == "over-admission") return gate::Verdict::over_admission;
  if (verdict != "unknown") node["verdict"].fail("a verdict is policy, capability, over-admission or unknown");
  return gate::Verdict::unknown;
}

gate::PackageNote load_note(const Yaml& node) {
  node.allow({"id", "module", "path", "function", "expression", "targets", "verdict", "unless_files", "text", "link"});
  gate::PackageNote note;
  note.unless_files = node["unless_files"].texts();
  note.id = node.required("id");
  note.text = node.required("text");
  note.link = node.required("link");
  note.module = node["module"].text_or("");
  note.path = node["path"].text_or("");
  note.function = node["function"].text_or("");
  note.expression = node["expression"].text_or("");
  if (note.module.empty() && note.path.empty() && note.function.empty()) node.fail("a note names a module, a path or a function");
  if (auto targets = arch::parse_device_set(node.required("targets"))) note.targets = *targets;
  else node["targets"].fail(targets.error().what);
  note.verdict = load_verdict(node);
  return note;
}

gate::PackagePart load_part(const Yaml& node) {
  node.allow({"id", "names", "imports", "except", "values", "expressions", "targets", "shared_memory", "verdict", "kernels", "unless_files", "text", "link"});
  gate::PackagePart part;
  part.unless_files = node["unless_files"].texts();
  part.id = node.required("id");
  part.names = node["names"].texts();
  part.imports = node["imports"].texts();
  part.except = node["except"].texts();
  part.values = node["values"].texts();
  part.expressions = node["expressions"].texts();
  part.text = node.required("text");
  part.link = node.required("link");
  bool stands = !part.names.empty() || !part.imports.empty() || !part.values.empty() || !part.expressions.empty();
  if (!stands) node.fail("a part has names, imports, values or expressions");
  if (!node["targets"].exists() && !node["shared_memory"].exists()) node.fail("a part holds for targets or needs shared_memory");
  if (node["targets"].exists()) {
    if (auto targets = arch::parse_device_set(node.required("targets"))) part.targets = *targets;
    else node["targets"].fail(targets.error().what);
  }
  if (node["shared_memory"].exists()) part.shared_kb = static_cast<int>(node["shared_memory"].integer());
  if (node["verdict"].exists()) part.verdict = load_verdict(node);
  part.in_kernels = node["kernels"].boolean().value_or(false);
  return part;
}

// What holds of a package in one that was made of it: the same code in another folder, its own versions.
gate::PackageRules fork_of(const gate::PackageRules& rules, std::string package, std::string folder) {
  gate::PackageRules out;
  out.package = std::move(package);
  out.folder = std::move(folder);
  out.file = rules.file;
  out.parts = rules.parts;
  out.measured = rules.measured;
  for (gate::PackageNote note : rules.notes) {
    if (note.path.starts_with(rules.folder + '/')) note.path = out.folder + note.path.substr(rules.folder.size());
    out.notes.push_back(std::move(note));
  }
  return out;
}

}  // namespace

Result<PackageFile> load_package(std::string_view text, const std::string& file) {
  auto root = Yaml::parse(text, file);
  if (!root) return std::unexpected(root.error());
  root->allow({"package", "folder", "versions", "forks", "jit", "aot", "objects", "exports", "caches", "prebuilt", "notes", "parts", "measured", "headers", "macros", "kernel_decorators"});
  PackageFile out;
  out.rules.package = package::normalised_name(root->required("package"));
  out.rules.folder = (*root)["folder"].text_or("");
  out.rules.file = file;
  auto versions = package::SpecifierSet::parse((*root)["versions"].text_or(""));
  if (versions) out.rules.versions = *versions;
  else (*root)["versions"].fail(versions.error().what);
  if ((*root)["jit"].exists()) {
    out.rules.jit = load_jit((*root)["jit"]);
    for (Symbol builder : out.rules.jit->builders) out.captures.emplace_back(builder.text());
  }
  out.rules.aot_modules = (*root)["aot"].texts();
  out.rules.measured = (*root)["measured"].texts();
  out.rules.kernel_decorators = (*root)["kernel_decorators"].texts();
  out.rules.headers = (*root)["headers"].texts();
  if ((*root)["macros"].exists()) {
    for (const Yaml& node : (*root)["macros"].items()) {
      node.allow({"name", "body", "source"});
      node.required("source");
      out.rules.macros.emplace_back(node.required("name"), node.required("body"));
    }
  }
  for (const Yaml& node : (*root)["objects"].items()) {
    node.allow({"name", "class", "source"});
    node.required("source");
    out.objects.emplace_back(node.required("name"), node.required("class"));
  }
  for (const Yaml& node : (*root)["exports"].items()) {
    node.allow({"macro", "op", "function"});
    out.rules.export_macros.push_back({node.required("macro"), static_cast<int>(node["op"].integer()), static_cast<int>(node["function"].integer())});
  }
  for (const Yaml& node : (*root)["caches"].items()) {
    node.allow({"name", "bases", "folders"});
    out.caches.push_back({node.required("name"), node["bases"].texts(), node["folders"].texts(), {}});
  }
  for (const Yaml& node : (*root)["prebuilt"].items()) {
    node.allow({"package", "paths"});
    out.prebuilt.push_back({package::normalised_name(node.required("package")), node["paths"].texts()});
  }
  for (const Yaml& node : (*root)["notes"].items()) out.rules.notes.push_back(load_note(node));
  for (const Yaml& node : (*root)["parts"].items()) out.rules.parts.push_back(load_part(node));
  for (const Yaml& node : (*root)["forks"].items()) {
    node.allow({"package", "folder", "source"});
    node.required("source");
    out.forks.push_back(fork_of(out.rules, package::normalised_name(node.required("package")), node.required("folder")));
  }
  if (!out.rules.parts.empty() && out.rules.folder.empty()) root->fail("a package with parts names its folder");
  if (auto status = root->status(); !status) return std::unexpected(status.error());
  return out;
}

bool parse_feature_targets(std::string_view text, arch::CodeTargetSet& out) {
  if (text.ends_with('+')) {
    auto from = arch::parse_device(text.substr(0, text.size() - 1));
    if (!from) return false;
    for (unsigned d : arch::all_devices()) {
      if (d >= from->index()) out |= arch::code_targets_of(arch::Device(d));
    }
    return true;
  }
  if (text.ends_with('x')) {
    std::int64_t major = 0;
    if (!text.starts_with("sm_") || !text::parse_int(text.substr(3, text.size() - 4), major)) return false;
    bool any = false;
    for (unsigned t : arch::all_code_targets()) {
      arch::CodeTarget target(t);
      if (target.device().is_future() || target.device().major() != major || target.suffix() == arch::Suffix::plain) continue;
      out |= arch::CodeTargetSet::of(t);
      any = true;
    }
    return any;
  }
  auto target = arch::parse_code_target(text);
  if (target) out |= arch::CodeTargetSet::of(target->index());
  return target.has_value();
}

Status load_features(std::string_view text, const std::string& file, gate::Knowledge& into) {
  auto root = Yaml::parse(text, file);
  if (!root) return std::unexpected(root.error());
  root->allow({"features"});
  for (const Yaml& node : (*root)["features"].items()) {
    node.allow({"name", "instructions", "words", "tags", "targets", "ptx"});
    gate::Feature feature;
    feature.name = node.required("name");
    feature.instructions = node["instructions"].texts();
    feature.words = node["words"].texts();
    feature.tags = node["tags"].texts();
    feature.ptx = node.required("ptx");
    for (const Yaml& target : node["targets"].items()) {
      if (!parse_feature_targets(target.text(), feature.targets)) target.fail("not a code target: '" + target.text() + "'");
    }
    std::erase_if(into.features, [&](const gate::Feature& other) { return other.name == feature.name; });
    for (const std::string& word : feature.words) into.vocabulary.intrinsics.push_back(word);
    into.features.push_back(std::move(feature));
  }
  return root->status();
}

}  // namespace ungate::rules
