#pragma once

#include "base/error.h"
#include "base/json.h"

namespace ungate::cli {

inline constexpr const char* kVersion = UNGATE_VERSION;

// An entry of the `errors` of a JSON document: {"code", "what", "where", "next", "exit"}.
void write_error(JsonWriter& w, const Error& error);

}  // namespace ungate::cli
