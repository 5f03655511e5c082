// patches/<package>/<id>.yaml into patch sets (patches/README.md has the format).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "patch/patch_set.h"

namespace ungate::rules {

// Gives the text of a .patch file by its name beside the patch set, e.g. "stride.patch".
using PatchFiles = std::function<Result<std::string>(const std::string& name)>;

// `bad_rule` with file, line and column for what the format does not allow.
Result<patch::PatchSet> load_patch_set(std::string_view text, const std::string& file,
                                       const PatchFiles& patch_files);

}  // namespace ungate::rules
