// The entries of rule and patch files as a reader sees them: for `ungate rules` and `ungate
// explain`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rules/rule_set.h"

namespace ungate::rules {

struct CatalogueEntry {
  std::string kind;     // "arch", "source", "list", "feature", "package", "note", "patch-set"
  std::string id;       // unique within its kind
  std::string summary;  // one line
  std::vector<std::pair<std::string, std::string>> fields;  // label and text
  std::string where;                                        // file:line
};

// In the order of the files and of the entries in them. The files are those of a rule set, so they
// are known to be right.
std::vector<CatalogueEntry> catalogue(const RuleSet& rules);

}  // namespace ungate::rules
