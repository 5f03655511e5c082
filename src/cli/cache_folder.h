// Where the program keeps what it found out.
#pragma once

#include <string>
#include <string_view>

namespace ungate::cli {

// The folder `what` ("proofs", "answers") below `named`, else below $UNGATE_CACHE_DIR, else below
// ${XDG_CACHE_HOME:-~/.cache}/ungate; empty if none is known.
std::string cache_folder(const std::string& named, std::string_view what);

}  // namespace ungate::cli
