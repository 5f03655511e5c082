// Gates of CUDA files: preprocessor conditions, what they enclose, and what a device meets there (internal).
#pragma once

#include "gate/item.h"

namespace ungate::gate {

// The guards of one file. `result` is what is known of it: alone, or in the units of a module. `chains`,
// when given, says which chains of conditions are looked at.
std::vector<Item> cuda_items(const std::string& path, const cuda::FileResult& result, CudaFiles& files,
                             const std::vector<std::string>& launch_files, const std::vector<bool>* chains);

// The chains of a file that may shut one of the targets out; told from their conditions alone.
std::vector<bool> chains_that_shut_out(const std::string& path, const cuda::FileResult& result, CudaFiles& files,
                                       arch::CodeTargetSet built, const std::vector<arch::Device>& targets);

// Which devices a condition lets in, given the code that is built for each (or any code, if none is named).
Admission admission(const Item& item, arch::CodeTargetSet built, arch::Device target);

Effect effect_of(const cuda::Guard& guard, bool kernel);

// "the whole body of kernel f", "a wait in kernel f", …
std::string describe(const cuda::Guard& guard, const cuda::Structure& structure);

}  // namespace ungate::gate
