// What a project has decided to live with: ungate.ignore.yaml, and the report that is a baseline.
//
//   ignore:
//     - gate: 31606d4e            # an id, as reports print it; and/or
//       path: flashinfer/aot.py   # a glob on the path relative to site-packages
//       package: flashinfer-python
//       form: py-helper-call
//       target: sm_120            # all targets without it
//       reason: built ahead of time elsewhere
//       expires: 2027-01-31       # from the day after on the entry counts no more
//
// Of gate, path, package and form at least one is given, and all that are given must fit. A reason and
// a date are required: what is ignored for ever is forgotten.
#pragma once

#include <string>
#include <vector>

#include "audit/saved.h"

namespace ungate::audit {

struct Suppression {
  std::string gate, path, package, form, target, reason;
  std::string expires;  // "2027-01-31"
  std::string where;    // file:line:column

  bool fits(const Record& record) const;
};

struct Suppressions {
  std::vector<Suppression> valid;
  std::vector<Suppression> expired;  // they do not count; whoever reads the report should know

  bool cover(const Record& record) const;
};

// `today` as "2026-11-30". `bad_config` with the place.
Result<Suppressions> load_suppressions(const std::string& path, const std::string& today);

// Today in UTC.
std::string today();

// Takes gates out of the report that the suppressions, or the baseline, cover for every target that
// they shut out or may shut out. Returns how many.
std::size_t suppress(Report& report, const Suppressions& suppressions);
std::size_t leave_out_baseline(Report& report, const Records& baseline);

}  // namespace ungate::audit
