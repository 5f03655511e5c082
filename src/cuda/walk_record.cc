// What a walk keeps of the arms it reached.
#include <algorithm>

#include "cuda/condition_tree.h"
#include "cuda/include_path.h"
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

bool was_never_met(const ArmResult& r) {
  return r.condition.uniform() && r.condition.cell(0).value.bits == value::kNever;
}

// Adds a macro, or its definitions to those that are known.
void add(std::vector<MacroUse>& list, const MacroUse& use) {
  auto known = std::ranges::find(list, use.name, &MacroUse::name);
  if (known == list.end()) known = list.insert(list.end(), {use.name, {}});
  for (const Place& p : use.definitions) {
    if (std::ranges::find(known->definitions, p) == known->definitions.end())
      known->definitions.push_back(p);
  }
}

}  // namespace

void Preprocessor::Walk::record(FileIndex index, std::uint32_t arm, const Outcomes& condition,
                                const Outcomes& live, CodeTargetSet reached) {
  ArmResult& r = visits_[visit_]->result.arms[arm];
  r.condition = condition;
  r.live = live;
  r.reached = reached;
  if (!differs(condition, Outcomes::all())) return;

  const Tokens& tokens = this->condition(index, arm);
  ConditionTree tree = parse_condition(tokens);
  bool is_test = files_[index]->source.directives->arms[arm].kind == DirectiveKind::if_ ||
                 files_[index]->source.directives->arms[arm].kind == DirectiveKind::elif;
  HeaderTest headers = header_test(index);
  for (std::uint32_t node : tree.leaves) {
    const ConditionNode& leaf = tree.nodes[node];
    bool malformed = false;
    auto part = std::span(tokens).subspan(leaf.begin, leaf.end - leaf.begin);
    r.leaves.push_back(is_test ? evaluate_condition(environment_, part, headers, malformed)
                               : evaluate_defined(environment_, tokens[0].slot));
  }
  record_macros(index, arm);
}

void Preprocessor::Walk::record_macros(FileIndex index, std::uint32_t arm) {
  ArmResult& r = visits_[visit_]->result.arms[arm];
  for (const Token& t : condition(index, arm)) {
    if (t.slot == kNone) continue;
    MacroUse use{t.text, {}};
    const Environment::State& state = environment_.get(t.slot);
    for (std::size_t i = 0; i < state.size(); ++i) {
      for (DefinitionId id : environment_.alternatives(state.cell(i).value)) {
        const Definition& d = environment_.definition(id);
        if (!d.file.empty()) use.definitions.push_back({d.file, d.where});
      }
    }
    if (!use.definitions.empty()) add(r.macros, use);
  }
}

namespace {

// One way through a file joined with another.
void join_results(FileResult& into, const FileResult& other) {
  into.live = join(into.live, other.live);
  for (const Problem& p : other.problems) {
    if (std::ranges::find(into.problems, p) == into.problems.end()) into.problems.push_back(p);
  }
  for (std::size_t a = 0; a < into.arms.size(); ++a) {
    ArmResult& r = into.arms[a];
    const ArmResult& o = other.arms[a];
    if (was_never_met(o)) continue;
    if (was_never_met(r)) {
      r = o;
      continue;
    }
    r.condition = merge(r.condition, r.reached, o.condition, o.reached);
    r.live = join(r.live, o.live);
    for (std::size_t i = 0; i < o.leaves.size(); ++i) {
      if (i < r.leaves.size()) r.leaves[i] = merge(r.leaves[i], r.reached, o.leaves[i], o.reached);
      else r.leaves.push_back(o.leaves[i]);
    }
    r.reached |= o.reached;
    for (const MacroUse& use : o.macros) add(r.macros, use);
  }
}

}  // namespace

const FileResult* Preprocessor::Walk::result(std::string_view path) const {
  auto found = by_path_.find(normal_path(path));
  if (found == by_path_.end() || found->second == kNone) return nullptr;
  return result(path, files_[found->second]->visits);
}

const FileResult* Preprocessor::Walk::result(std::string_view path,
                                             const std::vector<VisitIndex>& visits) const {
  auto found = by_path_.find(normal_path(path));
  if (found == by_path_.end() || found->second == kNone) return nullptr;
  std::vector<VisitIndex> mine;
  std::ranges::set_intersection(files_[found->second]->visits, visits, std::back_inserter(mine));
  if (mine.empty()) return nullptr;
  if (mine.size() == 1) return &visits_[mine[0]]->result;
  std::unique_ptr<FileResult>& merged = merged_[{found->second, mine}];
  if (merged == nullptr) {
    merged = std::make_unique<FileResult>(visits_[mine[0]]->result);
    for (std::size_t i = 1; i < mine.size(); ++i) join_results(*merged, visits_[mine[i]]->result);
  }
  return merged.get();
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
