// Renderers of an audit. Each takes reports (one an environment) and gives text; nothing here
// prints or decides.
#pragma once

#include <string>
#include <vector>

#include "audit/audit.h"
#include "patch/patch_set.h"

namespace ungate::report {

struct Style {
  bool all = false;   // also gates that admit every target
  bool full = false;  // human: every gate on a line of its own, whatever its verdict
  bool colour = false;
  bool absolute = false;  // full paths
  int width = 100;        // columns
  std::string tool;       // json: the program's version
  std::string repeat;     // human: flags that name the same environment in the next command
  std::vector<const patch::PatchSet*> sets;  // human: those that `plan` can take
};

using Reports = std::vector<audit::Report>;

// One JSON object a gate and target, one a line: the finding record of README.md.
std::string jsonl(const Reports& reports, const Style& style);
// The same objects in one document, with the world, the environments and what was not read.
std::string json(const Reports& reports, const Style& style);
// One line a finding: path:line:column: target, admits, effect, verdict, form, [id], expression.
std::string concise(const Reports& reports, const Style& style);
// For people: counts, then policy gate by gate (groups as groups) and the next step, the rest by
// package; at the end the world that was assumed and what was not checked.
std::string human(const Reports& reports, const Style& style);
// A table: a row for gates of one place that stand alike, a column a device; `+` admitted, `-` shut
// out, `~` served in another way, `?` unknown. Rows are those where a device of `rows` is not
// admitted.
std::string matrix(const Reports& reports, const std::vector<arch::Device>& rows,
                   const Style& style);

// Whether a standing is shown: its target is shut out or may be, or `all` is wanted.
bool is_shown(const gate::Standing& standing, const Style& style);

}  // namespace ungate::report
