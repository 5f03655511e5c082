// Evaluates a condition on all code targets at once.
#pragma once

#include <span>

#include "cuda/environment.h"
#include "cuda/expand.h"
#include "cuda/outcome.h"
#include "cuda/token.h"

namespace ungate::cuda {

// How an #if or #elif decides; identifiers of `condition` are bound to slots. `malformed` is set if
// it is no expression under any choice of what is open; the outcome is then unknown. (A choice
// under which it is none is left out if there are others: that text would not have compiled.)
Outcomes evaluate_condition(Environment& environment, std::span<const Token> condition,
                            const HeaderTest& has_include, bool& malformed);

// How #ifdef decides.
Outcomes evaluate_defined(Environment& environment, std::uint32_t slot);

// Narrows macros to the alternatives under which the condition can be `wanted`: in the text behind
// `#ifndef X` no X is defined. Only tests for being defined narrow; the environment's mark must be
// set.
void narrow(Environment& environment, std::span<const Token> condition, bool wanted);
void narrow_defined(Environment& environment, std::uint32_t slot, bool wanted);

}  // namespace ungate::cuda
