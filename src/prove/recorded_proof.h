// Proofs that are carried beside patch sets: patches/<package>/<set>-<release>.proof.json.
//
// `ungate prove SET --record FILE` writes one. It says what came of the proof, of which texts, and with
// which compiler, so that it can be made again; a test does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "prove/kernel_rows.h"
#include "prove/record.h"

namespace ungate::prove {

struct RecordedUnit {
  std::string source, target;                // "flashinfer/data/csrc/x.cu", "sm_120a"
  std::map<std::string, KernelRow> kernels;  // by name; see rows_of()
  std::map<std::string, KernelRow> before;   // of the original, where it was compiled and differs
  bool operator==(const RecordedUnit&) const = default;
};

// Code of a unit for another device, and how it was shown to be what it was.
struct RecordedOther {
  std::string source, target, same;  // name_of(Same)
  bool operator==(const RecordedOther&) const = default;
};

struct RecordedProof {
  std::string set;                // "flashinfer-python/allreduce-sm12x"
  std::string package, release;   // whose files were compiled
  std::vector<EditedFile> files;  // of that package, by path
  ProofRecord record;
  std::vector<RecordedUnit> units;
  std::vector<RecordedOther> others;
  double cpu_seconds = 0;         // of the compilers
};

// `files`: all that were edited; those outside `folder` ("flashinfer/") are left out.
RecordedProof recorded_proof_of(const Proof& proof, const std::vector<EditedFile>& files, std::string_view folder);

std::string to_json(const RecordedProof& proof);
// `bad_rule` names the file and what it lacks.
Result<RecordedProof> recorded_proof_from_json(std::string_view json, const std::string& path);

// Whether these edits are those that were proved, for this device: every file of the recorded proof is
// among them with the same bytes before and after, and no other file in the folder of one of them is.
bool covers(const RecordedProof& proof, const std::vector<EditedFile>& files, arch::Device device);

}  // namespace ungate::prove
