// What a walk keeps of the arms it reached.
#include <algorithm>

#include "cuda/condition_tree.h"
#include "cuda/walk.h"

namespace ungate::cuda {
namespace {

using arch::CodeTargetSet;

// Both outcomes where both were reached or neither was; else the one that was.
Outcomes merge(const Outcomes& a, CodeTargetSet a_reached, const Outcomes& b,
               CodeTargetSet b_reached) {
  if (a == b) return a;
  Outcomes both = join(a, b);
  return both.overlay(a_reached - b_reached, a).overlay(b_reached - a_reached, b);
}

}  // namespace

void Preprocessor::Walk::record(FileIndex index, std::uint32_t arm, const Outcomes& condition,
                                const Outcomes& live, CodeTargetSet reached) {
  ArmResult& r = files_[index]->result.arms[arm];
  bool first = r.condition.uniform() && r.condition.cell(0).value.bits == value::kNever;
  r.condition = first ? condition : merge(r.condition, r.reached, condition, reached);
  r.live = first ? live : cuda::join(r.live, live);
  CodeTargetSet before = std::exchange(r.reached, r.reached | reached);
  if (!differs(condition, Outcomes::all())) return;

  const Tokens& tokens = this->condition(index, arm);
  ConditionTree tree = parse_condition(tokens);
  bool is_test = files_[index]->source.directives->arms[arm].kind == DirectiveKind::if_ ||
                 files_[index]->source.directives->arms[arm].kind == DirectiveKind::elif;
  bool had_leaves = !r.leaves.empty();
  if (!had_leaves) r.leaves.assign(tree.leaves.size(), Outcomes(Outcome{}));
  HeaderTest headers = header_test(index);
  for (std::size_t i = 0; i < tree.leaves.size(); ++i) {
    const ConditionNode& leaf = tree.nodes[tree.leaves[i]];
    bool malformed = false;
    auto part = std::span(tokens).subspan(leaf.begin, leaf.end - leaf.begin);
    Outcomes outcome = is_test ? evaluate_condition(environment_, part, headers, malformed)
                               : evaluate_defined(environment_, tokens[0].slot);
    r.leaves[i] = had_leaves ? merge(r.leaves[i], before, outcome, reached) : outcome;
  }
  record_macros(index, arm);
}

void Preprocessor::Walk::record_macros(FileIndex index, std::uint32_t arm) {
  ArmResult& r = files_[index]->result.arms[arm];
  for (const Token& t : condition(index, arm)) {
    if (t.slot == kNone) continue;
    MacroUse use{t.text, {}};
    const Environment::State& state = environment_.get(t.slot);
    for (std::size_t i = 0; i < state.size(); ++i) {
      for (DefinitionId id : environment_.alternatives(state.cell(i).value)) {
        const Definition& d = environment_.definition(id);
        Place place{d.file, d.where};
        if (d.file.empty() || std::ranges::find(use.definitions, place) != use.definitions.end())
          continue;
        use.definitions.push_back(place);
      }
    }
    if (use.definitions.empty()) continue;
    auto known = std::ranges::find(r.macros, use.name, &MacroUse::name);
    if (known == r.macros.end()) {
      r.macros.push_back(std::move(use));
      continue;
    }
    for (const Place& p : use.definitions) {
      if (std::ranges::find(known->definitions, p) == known->definitions.end())
        known->definitions.push_back(p);
    }
  }
}

const Tokens& Preprocessor::Walk::condition(FileIndex index, std::uint32_t arm) {
  File& file = *files_[index];
  Tokens& tokens = file.conditions[arm];
  source::Range range = file.source.directives->arms[arm].condition;
  if (tokens.empty() && !range.empty()) {
    tokens = tokenize(file.source.text, range);
    environment_.bind(tokens);
  }
  return tokens;
}

}  // namespace ungate::cuda
