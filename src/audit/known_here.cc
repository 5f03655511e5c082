#include "audit/known_here.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace ungate::audit {
namespace {

// Which patterns an installed file fits: several notes ask for the same.
class Installed {
 public:
  explicit Installed(const Walk& walk) : walk_(walk) {}

  bool any(const std::vector<std::string>& patterns) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
      auto [known, added] = known_.try_emplace(pattern, false);
      if (added) known->second = std::ranges::any_of(walk_.files, [&](const FoundFile& f) { return text::fits(pattern, f.path); });
      return known->second;
    });
  }

 private:
  const Walk& walk_;
  std::map<std::string, bool> known_;
};

}  // namespace

gate::Knowledge known_here(const gate::Knowledge& all, const package::Environment& environment, const Walk& walk) {
  gate::Knowledge out = all;
  Installed installed(walk);
  for (gate::PackageRules& package : out.packages) {
    for (const package::Distribution& d : environment.distributions) {
      if (package.package != d.name || !d.version || package.versions.contains(*d.version)) continue;
      package.notes.clear();
      package.parts.clear();
    }
    std::erase_if(package.notes, [&](const gate::PackageNote& note) { return installed.any(note.unless_files); });
    std::erase_if(package.parts, [&](const gate::PackagePart& part) { return installed.any(part.unless_files); });
  }
  return out;
}

}  // namespace ungate::audit
