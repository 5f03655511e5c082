// rules/packages/*.yaml and rules/features.yaml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "gate/knowledge.h"
#include "patch/caches.h"
#include "patch/prebuilt.h"

namespace ungate::rules {

// What a package file says beyond what the analysis needs: where builds are kept, what shadows sources.
struct PackageFile {
  gate::PackageRules rules;
  std::vector<gate::PackageRules> forks;   // packages made of this one: its parts and notes hold in their folders, too
  std::vector<patch::CacheRule> caches;
  std::vector<patch::PrebuiltRule> prebuilt;
  std::vector<std::string> captures;   // dotted functions whose calls the evaluator keeps
  std::vector<std::pair<std::string, std::string>> objects;  // dotted global, dotted class
};

Result<PackageFile> load_package(std::string_view text, const std::string& file);
Status load_features(std::string_view text, const std::string& file, gate::Knowledge& into);

// "sm_90+", "sm_10x", "sm_90a": see rules/features.yaml.
bool parse_feature_targets(std::string_view text, arch::CodeTargetSet& out);

}  // namespace ungate::rules
