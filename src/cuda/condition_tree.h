// The boolean structure of a condition as it is written, with ranges: what the parts are, for
// reports and for edits. Evaluation does not use it (a macro may expand to part of an expression).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cuda/token.h"

namespace ungate::cuda {

struct ConditionNode {
  enum class Kind : std::uint8_t {
    negation,     // !a
    conjunction,  // a && b && … (flat: no child is a conjunction, unless it stands in parentheses)
    disjunction,  // a || b || …
    comparison,   // a < b
    defined,      // defined(X)
    name,         // X
    number,       // 0
    other         // anything else: a ? b : c, F(x), a + b, …
  };
  Kind kind = Kind::other;
  source::Range range;                   // without parentheses around the whole
  source::Range outer;                   // with them
  std::uint32_t begin = 0, end = 0;      // the tokens of `range`
  std::vector<std::uint32_t> children;   // nodes: of !, &&, ||
  std::vector<source::Range> operators;  // the '!', or the operator before each child but the first
  Punct op = Punct::none;                // of a comparison
  std::uint32_t op_token = kNone;
  std::uint32_t name_token = kNone;  // of `defined` and `name`
};

struct ConditionTree {
  std::vector<ConditionNode> nodes;  // empty only for no tokens
  std::uint32_t root = 0;
  std::vector<std::uint32_t> leaves;  // nodes that are not !, && or ||, in source order
};

// Always gives a tree; what does not look like an expression is one leaf of kind `other`.
ConditionTree parse_condition(std::span<const Token> tokens);

// A comparison of one macro with a number: `__CUDA_ARCH__ >= 900`, `1200 > __CUDA_ARCH__`,
// `__CUDA_ARCH__ / 100 == 9`. The operator is as if the macro stood on the left.
struct MacroComparison {
  std::uint32_t macro_token;
  Punct op;
  std::uint32_t number_token;
  std::int64_t number;
  std::int64_t divisor;  // 1: none
  bool reversed;         // the number stands on the left
};
std::optional<MacroComparison> macro_comparison(const ConditionNode& node,
                                                std::span<const Token> tokens);

}  // namespace ungate::cuda
