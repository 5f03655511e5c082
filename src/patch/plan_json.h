// Parts of the plan file that the journal writes in the same form.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "patch/json_fields.h"
#include "patch/plan.h"

namespace ungate::patch {

void write_strings(JsonWriter& w, std::string_view name, const std::vector<std::string>& items);
void write_steps(JsonWriter& w, const std::vector<PlanStep>& steps);
void write_reliances(JsonWriter& w, const std::vector<Reliance>& relies_on,
                     const std::string& root);
void write_caches(JsonWriter& w, const std::vector<CacheRule>& rules);

std::vector<PlanStep> read_steps(const JsonFields& from);
std::vector<Reliance> read_reliances(const JsonFields& from, const std::string& root);
std::vector<CacheRule> read_caches(const JsonFields& from);

// A site as plan files and journals keep it (relative to the root if it lies below), and back.
std::string site_in_file(const std::string& site, const std::string& root);
std::string site_from_file(const std::string& site, const std::string& root);

}  // namespace ungate::patch
