// What `ungate explain` and `ungate rules` know without an environment: gate forms, and the entries
// of rule and patch files.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/console.h"
#include "rules/catalogue.h"

namespace ungate::cli {

// Entries of kind "form" first, then those of the rules; `folders` as for --rules.
Result<std::vector<rules::CatalogueEntry>> all_topics(const std::vector<std::string>& folders);

// Those that a text means: all of exactly this id, else the only one whose id or summary holds it.
// `not_found` names what comes close.
Result<std::vector<rules::CatalogueEntry>> find_topics(const std::string& id,
                                                       const std::vector<std::string>& folders);

// In full, for people or as JSON (`schema` "ungate-…").
std::string render(const std::vector<rules::CatalogueEntry>& topics, std::string_view command,
                   const Look& look);
// A line each, by kind.
std::string render_list(const std::vector<rules::CatalogueEntry>& topics, const Look& look);

}  // namespace ungate::cli
