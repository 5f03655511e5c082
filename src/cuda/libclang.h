// Confirms liveness with libclang, where it is installed.
//
// libclang is opened when first needed, and only in a child process: a crash in it, a hang, or a
// word on its standard error cannot reach the program. Nothing depends on it being there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuda/preprocess.h"

namespace ungate::cuda {

struct LibclangOptions {
  // Paths or file names of the library, tried in this order before the usual names. If the
  // environment variable UNGATE_LIBCLANG is set, only the library that it names is tried.
  std::vector<std::string> candidates;
  unsigned timeout_seconds = 20;  // for one parse; past it the file is not confirmed
  arch::CodeTargetSet targets = arch::all_code_targets();  // the ones to compare
};

// One file with what was found about it alone (evaluate_file, device pass, in `world`).
struct ConfirmRequest {
  FileText file;
  const FileResult* result = nullptr;
};

struct Disagreement {
  std::uint32_t arm;
  arch::CodeTarget target;
  bool ours;   // live
  bool clang;  // not skipped
};

struct Confirmation {
  enum class Is : std::uint8_t {
    confirmed,  // every comparable arm agrees, on every code target asked for
    disagrees,
    not_comparable,  // no arm whose liveness is known without free macros and with text to look at
    unavailable      // no libclang, or it failed on this file
  };
  Is is = Is::unavailable;
  std::uint32_t compared = 0;  // arms, each on every class of code targets that look alike
  std::vector<Disagreement> disagreements;
  std::string reason;   // of `unavailable`
  std::string version;  // "clang version 19.1.7", if it ran
};

// Compares the ranges that libclang's preprocessor skips with our liveness. One confirmation a
// request, in order.
std::vector<Confirmation> confirm(const std::vector<ConfirmRequest>& requests,
                                  const value::World& world, const LibclangOptions& options);

}  // namespace ungate::cuda
