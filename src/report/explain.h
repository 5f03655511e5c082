// Renderers of explanations: everything that is known about a gate, or about a line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/line.h"
#include "report/report.h"

namespace ungate::report {

struct SourceLine {
  std::uint32_t number = 0;
  std::string text;
  bool marked = false;
};

// A gate with what its file is needed for.
struct GateDetail {
  const gate::Gate* gate = nullptr;
  std::vector<SourceLine> context;
  std::string diff;       // of its lift alone, for the first target that has one; unified
  std::string confirmed;  // what libclang says of the file, a sentence; empty: not asked
};

struct Explanation {
  const audit::Report* report = nullptr;
  std::vector<GateDetail> gates;         // in full
  std::optional<audit::LineFacts> line;  // for FILE:LINE
  std::vector<SourceLine> context;       // of the line
};

std::string explanation(const Explanation& explanation, const Style& style);
// {"schema": "ungate-explain", …, "gates": [finding record + "context", "diff", "confirmed"],
// "line": {…} or null}
std::string explanation_json(const Explanation& explanation, const Style& style);

}  // namespace ungate::report
