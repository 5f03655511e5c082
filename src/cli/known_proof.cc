#include "cli/known_proof.h"

#include <algorithm>

#include "base/text.h"
#include "cli/cache_folder.h"
#include "prove/recorded_proof.h"

namespace ungate::cli {
namespace {

std::optional<prove::ProofRecord> recorded_proof(const std::vector<prove::EditedFile>& files, arch::Device device,
                                                 const std::vector<rules::RuleFile>& recorded) {
  for (const rules::RuleFile& file : recorded) {
    auto proof = prove::recorded_proof_from_json(file.text, file.path);
    if (proof && prove::covers(*proof, files, device)) return std::move(proof->record);
  }
  return std::nullopt;
}

}  // namespace

std::optional<prove::ProofRecord> known_proof(const std::vector<patch::Plan>& plans,
                                              const std::vector<rules::RuleFile>& recorded) {
  std::vector<prove::EditedFile> files;
  for (const patch::Plan& plan : plans) {
    for (const patch::FileChange& c : plan.files) files.push_back({c.path, c.before_sha256, c.after_sha256});
  }
  if (files.empty()) return std::nullopt;
  // A plan for several devices is proved if the edits are for each of them.
  std::optional<prove::ProofRecord> out;
  for (std::string_view target : text::split(plans.front().target, ',')) {
    auto record = prove::load_record(cache_folder({}, "proofs"), prove::record_key(files, text::trim(target)));
    auto device = arch::parse_device(text::trim(target));
    if (!record && device) record = recorded_proof(files, *device, recorded);
    if (!record) return std::nullopt;
    if (!out || !record->proved) out = std::move(record);
  }
  return out;
}

std::string proof_sentence(const std::optional<prove::ProofRecord>& record) {
  if (!record) return "No compiler has seen the edited sources here, and no GPU has run them.";
  std::string text = prove::to_text(*record);
  text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text + ". No GPU has run the code.";
}

Status require_proof(const std::optional<prove::ProofRecord>& record) {
  constexpr const char* kNext = "nothing was written; `ungate prove` with the same flags proves the edits, or shows what is wrong";
  if (!record) return fail(ErrorCode::proof_failed, "these edits are not proved", {}, kNext);
  if (!record->proved) return fail(ErrorCode::proof_failed, prove::to_text(*record), {}, kNext);
  if (record->quick) return fail(ErrorCode::proof_failed, "these edits were proved with --quick only", {}, kNext);
  return {};
}

}  // namespace ungate::cli
