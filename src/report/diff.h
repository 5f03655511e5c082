// Renderers of what differs between two audits.
#pragma once

#include <string>
#include <vector>

#include "audit/compare.h"

namespace ungate::report {

struct DiffView {
  const audit::Records *a = nullptr, *b = nullptr;
  struct OfTarget {
    std::string target;
    audit::Comparison comparison;
  };
  std::vector<OfTarget> targets;
  std::size_t suppressed = 0;  // differences left out by an ignore file
};

struct DiffStyle {
  bool full = false;  // human: also what changed without opening or closing, and what was removed
  bool colour = false;
  int width = 100;
  std::string tool;
};

std::string diff_human(const DiffView& view, const DiffStyle& style);
// "closed sm_120 path:line: form [id] before -> after", "dropped sm_120 path: sm_120 PTX sm_90".
std::string diff_concise(const DiffView& view, const DiffStyle& style);
// {"schema": "ungate-diff", "a", "b": {"name", "packages", "open"}, "targets": […], "gates":
// [{"target", "change", "before", "after": records or null}], "code": [{"target", "path", "added",
// "dropped", "before", "after"}], "suppressed"}
std::string diff_json(const DiffView& view, const DiffStyle& style);

}  // namespace ungate::report
