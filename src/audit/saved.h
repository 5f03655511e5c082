// Findings as plain records: those of an audit just made, or of a report that was saved as JSON.
#pragma once

#include <string>
#include <vector>

#include "audit/audit.h"

namespace ungate::audit {

// How one gate stands to one device; words are those of the reports.
struct Record {
  std::string id, package, path, form, expression, in, guards;
  std::uint32_t line = 0;
  std::string target, admits, effect, verdict;
};

struct Records {
  std::string name;                   // what was named on the command line
  std::vector<std::string> packages;  // "vllm 0.15.0", sorted
  std::vector<std::string> targets;   // that were asked about
  bool open = false;                  // gates that admit the target are there, too
  std::vector<Record> all;
};

void add_records(const Report& report, Records& into);

// A document of `ungate audit --format json`, or a file of its jsonl lines. `bad_config` for other
// JSON, with the place.
bool is_saved_report(const std::string& path);
Result<Records> load_records(const std::string& path);

}  // namespace ungate::audit
