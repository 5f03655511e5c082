// rules/host.yaml.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "cuda/host_vocabulary.h"

namespace ungate::rules {

// Adds what the file names to what is known.
Status load_host(std::string_view text, const std::string& file, cuda::HostVocabulary& into);

}  // namespace ungate::rules
