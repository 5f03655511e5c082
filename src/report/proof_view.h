// What `prove` shows, and its renderers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "prove/proof.h"
#include "report/report.h"

namespace ungate::report {

struct ProofView {
  std::string where;                  // the environment
  std::string subject;                // what was proved: "patch set …", "module …"
  std::vector<arch::Device> targets;
  bool edits = true;                  // false: a module as it is
  bool quick = false;
  std::vector<std::string> files;     // edited, relative to their import roots
  std::vector<std::string> notes;     // sentences: why a plan would be refused, what is assumed
  std::map<std::string, std::string> judged;  // module -> what the audit says of it
  prove::Proof proof;
};

// For people: a line for each unit and code target, kernels by name with what differs, problems in full.
std::string proof_human(const ProofView& view, const Style& style);
// A line a unit and code target: result, unit, code target, module, what the audit says of the module, kernels,
// problems; fields are separated by tabs.
std::string proof_concise(const ProofView& view, const Style& style);
// {"schema": "ungate-proof", "version": 1, …}
std::string proof_json(const ProofView& view, const Style& style);
// The fields of a proof, for documents that hold one.
void write_proof(JsonWriter& writer, const prove::Proof& proof);

}  // namespace ungate::report
