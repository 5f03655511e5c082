// A line of a C++ or CUDA file: the conditionals around it and what they come to.
#include <fmt/core.h>

#include <algorithm>

#include "audit/line.h"
#include "base/text.h"

namespace ungate::audit {
namespace {

using cuda::kNone;

std::vector<std::string> names(const cuda::Outcomes& outcomes) {
  cuda::FreeSet why;
  for (std::size_t i = 0; i < outcomes.size(); ++i) why = why | outcomes.cell(i).value.why;
  std::vector<std::string> out;
  for (const value::Free& f : why.items()) out.push_back(value::to_text(f));
  return out;
}

std::string passing(const cuda::Outcomes& outcomes) {
  return arch::to_text(cuda::may_be_true(outcomes));
}

// "yes", "no", or "unknown" of text that only one code target is asked about.
std::string in_host_pass(const cuda::Outcome& outcome) {
  if (outcome.is(value::kTrue)) return "yes";
  return outcome.may_be_true() ? "unknown" : "no";
}

std::string describe(const cuda::Function& f) {
  std::string kind = f.is_kernel ? "kernel " : f.is_device ? "device function " : "function ";
  return kind + std::string(f.qualified.text());
}

}  // namespace

void cuda_line(const Inside& inside, const source::SourceFile& file, LineFacts& facts) {
  const cuda::Directives& directives = inside.cuda.directives(file.path());
  const cuda::FileResult& device = inside.cuda.alone(file.path());
  std::uint32_t offset = offset_of(file, facts.code_line);
  std::uint32_t arm = cuda::arm_at(directives, offset);
  const cuda::Outcomes& live = cuda::live_in(device, arm);
  facts.reached = passing(live);
  facts.decides = names(live);
  facts.everywhere = live.uniform() && live.cell(0).value.is(value::kTrue);
  cuda::FileResult host =
      cuda::evaluate_file({file.text(), &directives}, inside.cuda_world, cuda::Pass::host);
  facts.host = in_host_pass(cuda::live_in(host, arm).cell(0).value);

  for (std::uint32_t a = arm; a != kNone; a = directives.arms[a].parent) {
    if (a == directives.guard_arm) continue;  // the file's include guard
    const cuda::Directive& directive = directives.list[directives.arms[a].directive];
    const cuda::ArmResult& result = device.arms[a];
    LineCondition c;
    c.line = file.position(directive.range.begin).line;
    c.text = text::one_line(file.text(directive.range), 200);
    c.depends = !result.condition.uniform();
    if (c.depends) c.passes = passing(result.condition);
    c.decides = names(result.condition);
    for (const gate::Gate& gate : inside.report.gates) {
      if (gate.path == facts.path && gate.range == directive.range) c.gates.push_back(gate.id);
    }
    facts.conditions.push_back(std::move(c));
  }
  std::ranges::reverse(facts.conditions);

  const cuda::Structure& structure = inside.cuda.structure(file.path());
  if (std::uint32_t f = cuda::function_at(structure, offset); f != kNone) {
    facts.function = describe(structure.functions[f]);
    facts.function_line = file.position(structure.functions[f].declaration.begin).line;
  }
}

}  // namespace ungate::audit
