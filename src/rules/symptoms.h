// rules/symptoms.yaml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "trace/symptom.h"

namespace ungate::rules {

// Adds to `into`; one with the id of an earlier one replaces it.
Status load_symptoms(std::string_view text, const std::string& file, std::vector<trace::Symptom>& into);

}  // namespace ungate::rules
