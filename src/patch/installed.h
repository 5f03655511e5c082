// What the environment says about files now: who owns them, in which version, with which recorded
// hash.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "package/environment.h"
#include "package/owners.h"

namespace ungate::patch {

struct InstalledFile {
  std::string package, version;  // empty if nobody owns the file
  std::string record_sha256;     // hex; empty if RECORD does not say
};

// Reads each site once.
class Installed {
 public:
  InstalledFile file(const std::string& site, const std::string& path);

 private:
  struct SiteState {
    explicit SiteState(const std::string& path)
        : environment(package::environment_of_site(path)), owners(environment) {}
    package::Environment environment;
    package::Owners owners;
  };
  std::map<std::string, std::unique_ptr<SiteState>> sites_;
};

}  // namespace ungate::patch
