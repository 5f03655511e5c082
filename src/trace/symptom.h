// What a log says that has to do with the device: found by the expressions of rules/symptoms.yaml.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/device.h"
#include "base/error.h"
#include "trace/log.h"

namespace ungate::trace {

enum class Fault { gate, no_code, toolchain, instruction, resource };
std::string_view name_of(Fault fault);
std::optional<Fault> parse_fault(std::string_view name);

// A rule: see rules/symptoms.yaml.
struct Symptom {
  std::string id, match, says, source;
  std::string next;  // what to do; empty: that depends on what is found
  Fault fault = Fault::gate;
};

// One place of a log that a symptom fits.
struct Sign {
  const Symptom* symptom = nullptr;
  std::size_t at = 0;              // index of the line
  std::string text;                // the line, trimmed
  std::optional<arch::Device> device;  // that the line names
  std::string target, list, instruction, bytes;  // groups of the expression
  const Traceback* traceback = nullptr;  // whose exception it is
  std::size_t count = 1;           // lines that say the same
};

// In order; lines that say the same for the same reason are one sign. A traceback whose exception no
// symptom fits is not among them.
// `bad_rule` names a symptom whose expression cannot be compiled.
Result<std::vector<Sign>> find_signs(const Log& log, const std::vector<Symptom>& symptoms);

}  // namespace ungate::trace
