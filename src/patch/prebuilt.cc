#include "patch/prebuilt.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "package/folder.h"
#include "patch/tree_walk.h"

namespace ungate::patch {
namespace {

void glob(const std::string& folder, std::string_view pattern, std::vector<std::string>& out) {
  std::size_t slash = pattern.find('/');
  std::string_view name = pattern.substr(0, slash);
  auto found = [&](std::string_view entry) {
    std::string path = package::join_path(folder, entry);
    if (slash != pattern.npos) {
      glob(path, pattern.substr(slash + 1), out);
    } else if (package::exists(path)) {
      out.push_back(path);
    }
  };
  if (name.find_first_of("*?") == name.npos) {
    found(name);
  } else if (auto entries = package::list_folder(folder)) {
    for (const package::FolderEntry& entry : *entries) {
      if (matches(name, entry.name)) found(entry.name);
    }
  }
}

}  // namespace

std::vector<Prebuilt> find_prebuilt(const package::Environment& environment,
                                    const std::vector<PrebuiltRule>& rules,
                                    const std::vector<std::string>& modules) {
  constexpr std::string_view kModule = "{module}";
  std::vector<Prebuilt> out;
  auto look = [&](const PrebuiltRule& rule, const std::string& pattern, const std::string& module) {
    const package::Distribution* owner = environment.find(rule.package);
    for (const package::Site& site : environment.sites) {
      std::vector<std::string> paths;
      glob(site.path, pattern, paths);
      for (std::string& path : paths) {
        out.push_back(
            {rule.package, owner == nullptr ? "" : owner->version_text, module, std::move(path)});
      }
    }
  };
  for (const PrebuiltRule& rule : rules) {
    for (const std::string& path : rule.paths) {
      if (path.find(kModule) == path.npos) {
        look(rule, path, "");
        continue;
      }
      for (const std::string& module : modules) {
        look(rule, text::replace_all(path, kModule, module), module);
      }
    }
  }
  std::ranges::sort(out, {}, [](const Prebuilt& p) { return std::tie(p.path, p.module); });
  return out;
}

}  // namespace ungate::patch
