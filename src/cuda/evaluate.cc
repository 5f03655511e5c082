#include "cuda/evaluate.h"

#include "base/text.h"
#include "cuda/condition_tree.h"
#include "cuda/expression.h"

namespace ungate::cuda {
namespace {

value::Free not_an_expression(std::span<const Token> condition) {
  return {value::Free::Kind::unread,
          Symbol("condition '" + text::one_line(spell(condition), 60) + "'")};
}

// The outcome at one target, and the targets that share it.
struct Evaluated {
  Outcome outcome;
  arch::CodeTargetSet same;
};

Evaluated evaluate_at(Environment& environment, std::span<const Token> condition,
                      const HeaderTest& has_include, unsigned target) {
  Choices choices(environment, target);
  std::uint8_t bits = 0;
  FreeSet why;
  int combinations = 0;
  bool more = true;
  while (more) {
    Tokens expanded;
    bool syntax = expand(condition, environment, choices, has_include, expanded);
    Number n = syntax ? evaluate_expression(expanded, syntax) : Number{};
    if (syntax && n.valid) {
      bits |= !n.known ? value::kUnknown : n.bits != 0 ? value::kTrue : value::kFalse;
      why = why | n.why;
    }
    more = choices.next();
    if (++combinations < Choices::kMost || !more) continue;
    bits |= value::kUnknown;
    break;
  }
  if (bits == value::kTrue || bits == value::kFalse) return {{bits, {}}, choices.same()};
  return {bits == 0 ? Outcome{} : unknown(why | choices.why()), choices.same()};
}

// The part of a condition that tests whether a macro is defined: `defined X`, or X alone (which is
// not zero only if it is).
void narrow_leaf(Environment& environment, const ConditionNode& node, std::span<const Token> tokens,
                 bool wanted) {
  bool alone = node.kind == ConditionNode::Kind::name;
  if (node.kind != ConditionNode::Kind::defined && !(alone && wanted)) return;
  narrow_defined(environment, tokens[node.name_token].slot, wanted);
}

void narrow_node(Environment& environment, const ConditionTree& tree, std::uint32_t index,
                 std::span<const Token> tokens, bool wanted) {
  const ConditionNode& node = tree.nodes[index];
  switch (node.kind) {
    case ConditionNode::Kind::negation:
      return narrow_node(environment, tree, node.children[0], tokens, !wanted);
    case ConditionNode::Kind::conjunction:
    case ConditionNode::Kind::disjunction:
      // All operands of a true && are true, all of a false || false; of the others nothing is
      // known.
      if (wanted != (node.kind == ConditionNode::Kind::conjunction)) return;
      for (std::uint32_t child : node.children)
        narrow_node(environment, tree, child, tokens, wanted);
      return;
    default: return narrow_leaf(environment, node, tokens, wanted);
  }
}

}  // namespace

Outcomes evaluate_condition(Environment& environment, std::span<const Token> condition,
                            const HeaderTest& has_include, bool& malformed) {
  Outcomes::Builder builder;
  malformed = false;
  for (arch::CodeTargetSet left = Outcomes::all(); !left.empty();) {
    Evaluated e = evaluate_at(environment, condition, has_include, left.front());
    if (e.outcome.bits == value::kNever) {
      malformed = true;
      e.outcome = unknown(not_an_expression(condition));
    }
    builder.add(e.same & left, e.outcome);
    left -= e.same;
  }
  return builder.take();
}

Outcomes evaluate_defined(Environment& environment, std::uint32_t slot) {
  return environment.get(slot).map([&](Environment::StateId state) {
    std::span<const DefinitionId> options = environment.alternatives(state);
    if (options.front() != kUndefined) return yes();  // sorted: "not defined" comes first
    return options.size() == 1 ? no() : unknown(environment.why(state));
  });
}

void narrow_defined(Environment& environment, std::uint32_t slot, bool wanted) {
  if (slot == kNone) return;
  Environment::State narrowed = environment.get(slot).map([&](Environment::StateId state) {
    std::span<const DefinitionId> options = environment.alternatives(state);
    if (options.size() == 1 || options.front() != kUndefined) return state;
    if (!wanted) return Environment::StateId{kUndefined};
    return environment.state({options.begin() + 1, options.end()}, environment.why(state));
  });
  environment.set(slot, std::move(narrowed));
}

void narrow(Environment& environment, std::span<const Token> condition, bool wanted) {
  ConditionTree tree = parse_condition(condition);
  if (!tree.nodes.empty()) narrow_node(environment, tree, tree.root, condition, wanted);
}

}  // namespace ungate::cuda
