#include "patch/gate_match.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "patch/anchor.h"

namespace ungate::patch {
namespace {

using gate::Gate;

// "name" fits "package::Class::name" and "Class.name".
bool is_function(std::string_view qualified, std::string_view name) {
  if (!qualified.ends_with(name)) return false;
  if (qualified.size() == name.size()) return true;
  char before = qualified[qualified.size() - name.size() - 1];
  return before == '.' || before == ':';
}

bool has_form(const Gate& gate, const GatePattern& pattern) {
  return pattern.forms.empty() ||
         std::ranges::find(pattern.forms, gate.form) != pattern.forms.end();
}

bool has_function(const Gate& gate, const GatePattern& pattern) {
  return pattern.function.empty() || is_function(gate.enclosing, pattern.function);
}

bool has_expression(const Gate& gate, const GatePattern& pattern) {
  return gate.expression.find(pattern.expression) != std::string::npos;
}

// The gate of the file that has most of what is wanted, and what it lacks.
void name_nearest(const std::vector<const Gate*>& in_file, const GatePattern& pattern,
                  GateMatch& out) {
  out.where = pattern.path;
  const Gate* best = nullptr;
  int most = 0;
  for (const Gate* g : in_file) {
    int points = 2 * (!pattern.function.empty() && has_function(*g, pattern)) +
                 2 * (!pattern.expression.empty() && has_expression(*g, pattern)) +
                 (!pattern.forms.empty() && has_form(*g, pattern));
    if (points > most) most = points, best = g;
  }
  if (best == nullptr) {
    out.why = "no gate of this file is like the one that is meant";
    return;
  }
  out.where = place_of(*best);
  std::vector<std::string> differs;
  if (!has_function(*best, pattern)) {
    std::string in = best->enclosing.empty() ? "no function" : best->enclosing;
    differs.push_back(fmt::format("it stands in {}, not in {}", in, pattern.function));
  }
  if (!has_expression(*best, pattern))
    differs.push_back(fmt::format("it does not hold '{}'", text::one_line(pattern.expression, 60)));
  if (!has_form(*best, pattern)) differs.push_back("its form is " + best->form);
  out.why = fmt::format("the nearest gate is '{}': {}", text::one_line(best->expression, 80),
                        text::join(differs, "; "));
}

}  // namespace

bool fits(const Gate& gate, const GatePattern& pattern) {
  return gate.path == pattern.path && has_form(gate, pattern) && has_function(gate, pattern) &&
         has_expression(gate, pattern);
}

GateMatch match_gates(const std::vector<Gate>& gates, const GatePattern& pattern,
                      std::uint32_t site, const source::SourceFile& file, bool every) {
  GateMatch out;
  std::vector<const Gate*> in_file;
  for (const Gate& g : gates) {
    if (g.path != pattern.path || g.site != site) continue;
    in_file.push_back(&g);
    if (fits(g, pattern)) out.gates.push_back(&g);
  }
  std::ranges::sort(out.gates, {}, [](const Gate* g) { return g->range.begin; });
  if (out.gates.empty()) {
    name_nearest(in_file, pattern, out);
    return out;
  }
  if (!pattern.before.empty()) {
    std::vector<std::uint32_t> at = occurrences(file.text(), pattern.before);
    if (at.size() != 1) {
      out.gates.clear();
      out.ambiguous = !at.empty();
      out.where =
          at.empty() ? pattern.path : fmt::format("{}:{}", pattern.path, file.position(at[1]).line);
      out.why = fmt::format("'{}' {}", text::one_line(pattern.before, 80),
                            at.empty() ? "is not there" : "occurs several times");
      return out;
    }
    std::erase_if(out.gates, [&](const Gate* g) { return g->range.end > at[0]; });
    if (out.gates.empty()) {
      out.where = fmt::format("{}:{}", pattern.path, file.position(at[0]).line);
      out.why = fmt::format("no such gate stands before '{}'", text::one_line(pattern.before, 80));
    } else {
      out.gates = {out.gates.back()};
    }
  }
  if (out.gates.size() > 1 && !every) {
    out.ambiguous = true;
    std::vector<std::string> lines;
    for (const Gate* g : out.gates) lines.push_back(std::to_string(g->begin.line));
    out.where = place_of(*out.gates[0]);
    out.why = fmt::format("gates on the lines {} fit", text::join(lines, ", "));
    out.gates.clear();
  }
  return out;
}

std::string place_of(const Gate& gate) {
  return fmt::format("{}:{}", gate.path, gate.begin.line);
}

const gate::Standing* standing_of(const Gate& gate, arch::Device device) {
  auto found = std::ranges::find(gate.standings, device, &gate::Standing::device);
  return found == gate.standings.end() ? nullptr : &*found;
}

bool lets_in(const Gate& gate, arch::Device device) {
  const gate::Standing* s = standing_of(gate, device);
  if (s == nullptr) return false;
  return s->admits == gate::Admits::yes ||
         (s->admits == gate::Admits::unknown && gate.admitted.has(device.index()));
}

bool lets_in(const Gate& gate, arch::DeviceSet devices) {
  for (unsigned d : devices) {
    if (!lets_in(gate, arch::Device(d))) return false;
  }
  return true;
}

}  // namespace ungate::patch
