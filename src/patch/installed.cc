#include "patch/installed.h"

namespace ungate::patch {

InstalledFile Installed::file(const std::string& site, const std::string& path) {
  auto& state = sites_[site];
  if (!state) state = std::make_unique<SiteState>(site);
  package::Owner owner = state->owners.find(0, path);
  InstalledFile out;
  if (owner.distribution != nullptr) {
    out.package = owner.distribution->name;
    out.version = owner.distribution->version_text;
  }
  if (owner.entry != nullptr) out.record_sha256 = owner.entry->sha256;
  return out;
}

}  // namespace ungate::patch
