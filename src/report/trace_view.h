// What `trace` shows, and its renderers.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"
#include "trace/lead.h"

namespace ungate::report {

// A compiler, or a fact of the rules, that a lead rests on.
struct TraceFact {
  std::string text;
  bool bad = false;  // it is what is wrong
};

struct TraceLead {
  const trace::Lead* lead = nullptr;
  std::vector<TraceFact> facts;
  std::vector<std::string> next;  // commands, or what to do; sentences
};

struct TraceView {
  const audit::Report* report = nullptr;  // nullptr: no environment was looked at
  arch::Device target{0};
  std::string from;    // the log
  bool named = true;   // the target was given; false: the log names it
  std::vector<TraceLead> leads;
};

std::string trace_human(const TraceView& view, const Style& style);
// {"schema": "ungate-trace", "version": 1, …, "leads": [{…, "findings": [finding records]}]}
std::string trace_json(const TraceView& view, const Style& style);

}  // namespace ungate::report
