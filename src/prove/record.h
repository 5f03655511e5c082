// What came of a proof, in short: kept by what was edited, so that `plan` and `apply` can tell whether
// the very same edits were proved.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "prove/proof.h"

namespace ungate::prove {

// A file that is edited: contents before and after, as SHA-256.
struct EditedFile {
  std::string path, before_sha256, after_sha256;
  bool operator==(const EditedFile&) const = default;
};

struct ProofRecord {
  bool proved = false;
  bool quick = false;
  std::string compiler;                // "nvcc 13.0.88"
  std::vector<std::string> targets;    // code targets for which it compiles and is whole: "sm_120a"
  std::vector<std::string> unchanged;  // code targets whose code is what it was
  std::size_t units = 0, kernels = 0;
  std::vector<std::string> problems;   // one line each
  std::string recorded_for;            // "flashinfer-python 0.6.3": it came with the patch set; else empty
  bool operator==(const ProofRecord&) const = default;
};

ProofRecord record_of(const Proof& proof, bool quick);

// The key of edits for a target; the order of the files does not matter.
std::string record_key(std::vector<EditedFile> files, std::string_view target);

// Kept in the folder of results (see store.h). An empty folder keeps nothing.
void save_record(const std::string& folder, const std::string& key, const ProofRecord& record);
std::optional<ProofRecord> load_record(const std::string& folder, const std::string& key);

void write(JsonWriter& writer, const ProofRecord& record);
std::optional<ProofRecord> record_from_json(std::string_view json);

// "proved with nvcc 13.0.88: 3 units, 176 kernels for sm_120a; sm_90a, sm_100a unchanged"
std::string to_text(const ProofRecord& record);

}  // namespace ungate::prove
