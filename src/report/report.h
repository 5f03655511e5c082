// Renderers of an audit. Each takes the report and gives text; nothing here prints or decides.
#pragma once

#include <string>

#include "audit/audit.h"

namespace ungate::report {

struct Style {
  bool all = false;        // also gates that admit every target
  bool colour = false;
  bool absolute = false;   // full paths
  int width = 100;
};

// One JSON object a gate and target, one a line: the finding record of README.md.
std::string jsonl(const audit::Report& report, const Style& style);
// The same objects in one document, with the world, the environment and what was not read.
std::string json(const audit::Report& report, const Style& style);
// One line a finding: path:line:column: verdict form, expression.
std::string concise(const audit::Report& report, const Style& style);
// For people.
std::string human(const audit::Report& report, const Style& style);

// Whether a standing is shown: it shuts its target out, or `all` is wanted.
bool is_shown(const gate::Standing& standing, const Style& style);

}  // namespace ungate::report
