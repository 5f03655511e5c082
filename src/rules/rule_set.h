// All rules: those that the program carries and those of folders given by the user.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "gate/knowledge.h"
#include "python/knowledge.h"
#include "patch/patch_set.h"
#include "rules/package_rules.h"
#include "trace/symptom.h"

namespace ungate::rules {

// One rule or patch file, for `ungate rules`.
struct RuleFile {
  std::string path;    // "rules/sources.yaml"; of the user's: as found
  std::string text;
  bool embedded = true;
};

struct RuleSet {
  python::Knowledge python;
  gate::Knowledge gate;
  std::vector<PackageFile> packages;
  std::vector<patch::PatchSet> patch_sets;   // by id
  std::vector<trace::Symptom> symptoms;
  std::vector<std::pair<std::string, std::string>> header_wheels;  // how a header's name begins, its distribution
  std::vector<RuleFile> files;
  std::vector<RuleFile> proofs;              // recorded beside patch sets; see prove/recorded_proof.h
};

// Loads what the program carries, then each folder in order: sources.yaml, sinks.yaml, host.yaml,
// features.yaml and packages/*.yaml below it add to it and override it. Patch sets are patches/<package>/<id>.yaml, or
// <package>/<id>.yaml in a folder of nothing else; one with the id of an earlier one replaces it.
// The first error ends it, with file, line and column.
Result<RuleSet> load_rules(const std::vector<std::string>& folders);

// The value free of its device that a rule set assumes: printed by every report.
void assume_defaults(const RuleSet& rules, value::World& world);

}  // namespace ungate::rules
