// Taking back what a run wrote. apply() uses it when it fails, recover() when it was killed,
// revert() when the user asks.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "patch/by_products.h"
#include "patch/condition.h"
#include "patch/journal.h"
#include "patch/progress.h"
#include "patch/state_folder.h"

namespace ungate::patch {

struct PutBack {
  std::vector<std::string> restored;      // absolute paths, in the order of writing
  std::vector<FileCondition> left_alone;  // not ours any more: pristine, superseded, missing
};

// Restores the run's files, last one first, by their conditions: `ours` gets its old bytes,
// `pristine`, `superseded` and `missing` are left alone. With `foreign` files nothing is restored
// at all (`drift`), since the edits in front of them may be needed by what they hold now; with
// `force` their bytes are kept in the run's folder and the old ones restored. A file's time becomes
// now. Stops between files if `cancel` is set (`interrupted`).
Result<PutBack> put_back(StateFolder& state, const Run& run,
                         const std::vector<FileCondition>& conditions, bool force,
                         const std::atomic<bool>* cancel, Progress& progress);

// `drift` if one of them is foreign.
Status check_foreign(const std::vector<FileCondition>& conditions);

// Removes the temporary files that a killed process left beside the run's files; gives their paths.
std::vector<std::string> remove_temporaries(const Run& run);
// Those that are there.
std::vector<std::string> find_temporaries(const Run& run);

// The name of the temporary file beside the n-th file of a run.
std::string temporary_name(const Run& run, std::size_t n);

// What was made from the run's files; cleared if the run does so.
ByProducts by_products_of(const Run& run, const Variables& variables, std::int64_t edited_ns);
ByProducts clear_by_products_of(const Run& run, const Variables& variables, Progress& progress);

}  // namespace ungate::patch
