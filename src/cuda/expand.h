// Macro expansion of a condition.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "cuda/choices.h"
#include "cuda/token.h"

namespace ungate::cuda {

// Answers __has_include: found, not found, or nothing if that cannot be told.
using HeaderTest = std::function<std::optional<bool>(std::string_view name, bool angled)>;

// Expands every macro of `tokens` (whose identifiers are bound to slots) and appends the result to
// `out`: object- and function-like macros, # and ##, variadic ones; no macro inside its own
// expansion. `defined` and __has_include become 0 or 1. A macro that is "defined somehow" becomes
// an `unknown` token. False if a call has the wrong number of arguments, breaks off, or nothing
// ends.
bool expand(std::span<const Token> tokens, Environment& environment, Choices& choices,
            const HeaderTest& has_include, Tokens& out);

}  // namespace ungate::cuda
