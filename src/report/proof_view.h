// What `prove` shows, and its renderers.
#pragma once

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
  prove::Proof proof;
};

// For people: a line for each unit and code target, kernels by name with what differs, problems in full.
std::string proof_human(const ProofView& view, const Style& style);
// {"schema": "ungate-proof", "version": 1, …}
std::string proof_json(const ProofView& view, const Style& style);
// The fields of a proof, for documents that hold one.
void write_proof(JsonWriter& writer, const prove::Proof& proof);

}  // namespace ungate::report
