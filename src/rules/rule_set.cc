#include "rules/rule_set.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "rules/embedded.h"
#include "rules/headers.h"
#include "rules/host_rules.h"
#include "rules/patch_sets.h"
#include "rules/python_rules.h"
#include "rules/symptoms.h"

namespace ungate::rules {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProof = ".proof.json";

// "patches/flashinfer-python/x.yaml", or the same without "patches/".
bool is_patch_set(std::string_view name) {
  bool below = name.starts_with("patches/");
  if (below) name.remove_prefix(8);
  return std::ranges::count(name, '/') == 1 && (below || !name.starts_with("packages/"));
}

Status add_patch_set(const RuleFile& file, const PatchFiles& patch_files, RuleSet& into) {
  auto set = load_patch_set(file.text, file.path, patch_files);
  if (!set) return std::unexpected(set.error());
  std::erase_if(into.patch_sets, [&](const patch::PatchSet& other) { return other.id == set->id; });
  into.patch_sets.push_back(std::move(*set));
  return {};
}

// `name` is the path below the rules folder: "sources.yaml", "packages/x.yaml".
Status load_file(const std::string& name, const RuleFile& file, const PatchFiles& patch_files,
                 RuleSet& into) {
  if (is_patch_set(name)) return add_patch_set(file, patch_files, into);
  if (name == "sources.yaml") return load_sources(file.text, file.path, into.python);
  if (name == "sinks.yaml") return load_sinks(file.text, file.path, into.python);
  if (name == "host.yaml") return load_host(file.text, file.path, into.gate.host);
  if (name == "features.yaml") return load_features(file.text, file.path, into.gate);
  if (name == "headers.yaml") return load_headers(file.text, file.path, into.header_wheels);
  if (name == "symptoms.yaml") return load_symptoms(file.text, file.path, into.symptoms);
  if (name.starts_with("packages/")) {
    auto package = load_package(file.text, file.path);
    if (!package) return std::unexpected(package.error());
    std::erase_if(into.packages,
                  [&](const PackageFile& p) { return p.rules.package == package->rules.package; });
    into.packages.push_back(std::move(*package));
  }
  return {};
}

Status load_folder(const std::string& folder, RuleSet& into) {
  std::error_code ec;
  if (!fs::is_directory(folder, ec)) {
    return fail(ErrorCode::no_such_path, "no such folder of rules", folder,
                "name a folder that holds rules/ and patches/, or one of these");
  }
  std::vector<std::string> names;
  fs::recursive_directory_iterator it(folder, ec);
  for (fs::recursive_directory_iterator end; !ec && it != end; it.increment(ec)) {
    std::string name = it->path().filename().string();
    if (it->is_regular_file(ec) && (name.ends_with(".yaml") || name.ends_with(kProof)))
      names.push_back(it->path().lexically_relative(folder).string());
  }
  if (ec) return fail(ErrorCode::unreadable, "rules cannot be read: " + ec.message(), folder);
  std::ranges::sort(names);
  for (const std::string& name : names) {
    auto text = read_file(folder + '/' + name, 16u << 20);
    if (!text) return std::unexpected(text.error());
    RuleFile file{folder + '/' + name, std::move(text->bytes), false};
    if (name.ends_with(kProof)) {
      into.proofs.push_back(std::move(file));
      continue;
    }
    // A folder of rules may be laid out as the project's (rules/, patches/) or be one of them.
    std::string below = name.starts_with("rules/") ? name.substr(6) : name;
    std::string beside = fs::path(file.path).parent_path().string();
    PatchFiles patch_files = [&](const std::string& patch) -> Result<std::string> {
      auto bytes = read_file(beside + '/' + patch, 16u << 20);
      if (!bytes) return std::unexpected(bytes.error());
      return std::move(bytes->bytes);
    };
    if (auto status = load_file(below, file, patch_files, into); !status) return status;
    into.files.push_back(std::move(file));
  }
  return {};
}

Status load_embedded(RuleSet& into) {
  std::vector<EmbeddedFile> all = embedded_files();
  for (const EmbeddedFile& embedded : all) {
    RuleFile file{std::string(embedded.path), std::string(embedded.text), true};
    std::string_view name = embedded.path;
    PatchFiles patch_files = [&](const std::string& patch) -> Result<std::string> {
      std::string path = std::string(name.substr(0, name.rfind('/') + 1)) + patch;
      auto found = std::ranges::find(all, std::string_view(path), &EmbeddedFile::path);
      if (found == all.end()) return fail(ErrorCode::bad_rule, "there is no " + path);
      return std::string(found->text);
    };
    if (name.ends_with(kProof)) {
      into.proofs.push_back(std::move(file));
      continue;
    }
    if (!name.ends_with(".patch")) {
      std::string below(name.starts_with("rules/") ? name.substr(6) : name);
      if (auto status = load_file(below, file, patch_files, into); !status) return status;
    }
    into.files.push_back(std::move(file));
  }
  return {};
}

}  // namespace

Result<RuleSet> load_rules(const std::vector<std::string>& folders) {
  RuleSet out;
  if (auto status = load_embedded(out); !status) return std::unexpected(status.error());
  for (const std::string& folder : folders) {
    if (auto status = load_folder(folder, out); !status) return std::unexpected(status.error());
  }
  std::ranges::sort(out.patch_sets, {}, &patch::PatchSet::id);
  for (const PackageFile& package : out.packages) {
    out.gate.packages.push_back(package.rules);
    out.gate.packages.insert(out.gate.packages.end(), package.forks.begin(), package.forks.end());
    auto& macros = out.gate.vocabulary.export_macros;
    macros.insert(macros.end(), package.rules.export_macros.begin(),
                  package.rules.export_macros.end());
    for (const auto& [name, klass] : package.objects) {
      out.python.objects[Symbol(name)] = Symbol(klass);
    }
    for (const std::string& dotted : package.captures) out.python.captures.insert(Symbol(dotted));
  }
  return out;
}

void assume_defaults(const RuleSet& rules, value::World& world) {
  std::vector<std::pair<std::string, value::Constant>> sorted;
  for (const auto& [name, constant] : rules.python.constants)
    sorted.emplace_back(name.text(), constant);
  std::ranges::sort(sorted, {}, [](const auto& entry) { return entry.first; });
  for (auto& [name, constant] : sorted)
    world.assume({value::Free::Kind::name, Symbol(name)}, constant, "default");
}

}  // namespace ungate::rules
