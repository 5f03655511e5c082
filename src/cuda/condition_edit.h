// Edits of a condition: the smallest one after which given code targets are admitted.
#pragma once

#include <functional>
#include <vector>

#include "base/error.h"
#include "cuda/preprocess.h"
#include "source/edit.h"

namespace ungate::cuda {

struct LiftOptions {
  // Allows dropping an upper bound altogether: `A && X < 1200` becomes `A`. Otherwise the bound
  // moves to the end of the wanted devices' family (`X < 1300`), or a term is added for it.
  bool open_upward = false;
};

struct Lift {
  std::vector<source::Edit> edits;  // within lines: the number of lines stays the same
  Outcomes before =
      Outcomes(Outcome{});  // the arm's condition (of an #else: none before it is taken) …
  Outcomes after = Outcomes(Outcome{});  // … and what it is in the edited text, evaluated again
  // What may be admitted now and was not before, besides what was wanted.
  arch::CodeTargetSet also;
};

// The results for an edited text; how it is evaluated is up to the caller: alone, or in its units.
// The directives are those of the text.
using Reevaluate = std::function<FileResult(FileText edited)>;

// Makes the condition of `arm` true for `wanted` (which may stay unknown where free macros decide),
// by what its spelling suggests:
//   X < 1200            the bound moves to the end of the family: X < 1300; if that would let in
//   others,
//                       (X < 1000 || X / 100 == 12)
//   X >= 1210           X >= 1200
//   X == 900 || …       … || X == 1200
//   defined(FEAT_…)     || defined(FEAT_SM120_ALL), or the family macro for `f` targets
//   #ifdef FEAT_…       #if defined(FEAT_…) || …
//   #else               the arms before it are made false
// X is __CUDA_ARCH__. An error says why there is no edit: another macro decides (and where it is
// defined), a part that does not depend on the device is false, an arm before it takes the target.
// `result` holds what is known of the arms of `file`.
Result<Lift> lift_arm(FileText file, const FileResult& result, std::uint32_t arm,
                      arch::CodeTargetSet wanted, const LiftOptions& options,
                      const Reevaluate& reevaluate);

}  // namespace ungate::cuda
