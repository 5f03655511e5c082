#include "rules/rule_set.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "rules/embedded.h"
#include "rules/python_rules.h"

namespace ungate::rules {
namespace {

namespace fs = std::filesystem;

// `name` is the path below the rules folder: "sources.yaml", "packages/x.yaml".
Status load_file(const std::string& name, const RuleFile& file, RuleSet& into) {
  if (name == "sources.yaml") return load_sources(file.text, file.path, into.python);
  if (name == "sinks.yaml") return load_sinks(file.text, file.path, into.python);
  if (name == "features.yaml") return load_features(file.text, file.path, into.gate);
  if (name.starts_with("packages/")) {
    auto package = load_package(file.text, file.path);
    if (!package) return std::unexpected(package.error());
    std::erase_if(into.packages, [&](const PackageFile& p) { return p.rules.package == package->rules.package; });
    into.packages.push_back(std::move(*package));
  }
  return {};
}

Status load_folder(const std::string& folder, RuleSet& into) {
  std::error_code ec;
  if (!fs::is_directory(folder, ec)) return fail(ErrorCode::no_such_path, "no such folder of rules", folder);
  std::vector<std::string> names;
  for (fs::recursive_directory_iterator it(folder, ec), end; it != end; it.increment(ec)) {
    if (it->is_regular_file(ec) && it->path().extension() == ".yaml") names.push_back(it->path().lexically_relative(folder).string());
  }
  std::ranges::sort(names);
  for (const std::string& name : names) {
    auto text = read_file(folder + '/' + name, 16u << 20);
    if (!text) return std::unexpected(text.error());
    RuleFile file{folder + '/' + name, std::move(text->bytes), false};
    // A folder of rules may be laid out as the project's (rules/, patches/) or be one of them.
    std::string below = name.starts_with("rules/") ? name.substr(6) : name;
    if (auto status = load_file(below, file, into); !status) return status;
    into.files.push_back(std::move(file));
  }
  return {};
}

}  // namespace

Result<RuleSet> load_rules(const std::vector<std::string>& folders) {
  RuleSet out;
  for (const EmbeddedFile& embedded : embedded_files()) {
    RuleFile file{std::string(embedded.path), std::string(embedded.text), true};
    if (embedded.path.starts_with("rules/")) {
      if (auto status = load_file(std::string(embedded.path.substr(6)), file, out); !status) return std::unexpected(status.error());
    }
    out.files.push_back(std::move(file));
  }
  for (const std::string& folder : folders) {
    if (auto status = load_folder(folder, out); !status) return std::unexpected(status.error());
  }
  for (const PackageFile& package : out.packages) {
    out.gate.packages.push_back(package.rules);
    auto& macros = out.gate.vocabulary.export_macros;
    macros.insert(macros.end(), package.rules.export_macros.begin(), package.rules.export_macros.end());
    for (const std::string& dotted : package.captures) out.python.captures.insert(Symbol(dotted));
  }
  return out;
}

void assume_defaults(const RuleSet& rules, value::World& world) {
  std::vector<std::pair<std::string, value::Constant>> sorted;
  for (const auto& [name, constant] : rules.python.constants) sorted.emplace_back(name.text(), constant);
  std::ranges::sort(sorted, {}, [](const auto& entry) { return entry.first; });
  for (auto& [name, constant] : sorted) world.assume({value::Free::Kind::name, Symbol(name)}, constant, "default");
}

}  // namespace ungate::rules
