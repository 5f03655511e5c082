// Files and conditionals.
#include "cuda/walk.h"

#include <algorithm>

#include "cuda/condition_tree.h"

namespace ungate::cuda {

using arch::CodeTargetSet;

void Preprocessor::Walk::visit(FileIndex index, const Outcomes& live) {
  File& file = *files_[index];
  for (const Memo& memo : file.memos) {
    if (memo.include_path != include_path_ || memo.live != live) continue;
    if (!environment_.replays(memo.effect)) continue;
    environment_.replay(memo.effect);
    reach(memo.visits, memo.missing);
    return;
  }
  if (file.open_visits >= kMostRecursive || ++visits_of_unit_ > kMostVisits) return;
  ++file.open_visits;
  auto number = static_cast<VisitIndex>(visits_.size());
  VisitIndex outer = std::exchange(visit_, number);
  visits_.push_back(std::make_unique<Visit>());
  visits_.back()->file = index;
  visits_.back()->result.live = live;
  visits_.back()->result.arms.resize(file.source.directives->arms.size());
  file.visits.push_back(number);
  Reached around = std::exchange(reached_, {{number}, {}});
  environment_.begin_visit();
  const Directives& d = *file.source.directives;
  if (d.guard_arm != kNone) {
    // A guard that nobody has touched is not defined yet, whatever else its name could mean.
    const Directive& define = d.list[d.arms[d.guard_arm].directive + 1];
    std::uint32_t guard = slot_at(index, d.defines[define.index].name);
    if (environment_.is_foreign(guard)) environment_.set(guard, Environment::State(kUndefined));
  }
  run(index, 0, static_cast<std::uint32_t>(d.list.size()), live);
  --file.open_visits;
  Environment::Effect effect = environment_.end_visit();
  if (file.memos.size() < kMostMemos) {
    file.memos.push_back(
        {include_path_, live, std::move(effect), reached_.visits, reached_.missing});
  }
  visit_ = outer;
  Reached below = std::exchange(reached_, std::move(around));
  reach(below.visits, below.missing);
}

// The directives [from, to) of a file, all in one arm.
void Preprocessor::Walk::run(FileIndex index, std::uint32_t from, std::uint32_t to,
                             const Outcomes& live) {
  if (++depth_ > kDeepest) {
    --depth_;
    return;
  }
  const Directives& file = *files_[index]->source.directives;
  for (std::uint32_t i = from; i < to;) {
    const Directive& d = file.list[i];
    if (opens_chain(d.kind)) {
      i = chain(index, file.arms[d.index].chain, live);
      continue;
    }
    if (is_include(d.kind)) {
      include_directive(index, d, live);
    } else if (d.kind == DirectiveKind::define) {
      define(index, d);
    } else if (d.kind == DirectiveKind::undef && !d.operand.empty()) {
      Tokens name = tokenize(files_[index]->source.text, d.operand);
      if (!name.empty())
        environment_.set(environment_.slot(name[0].text), Environment::State(kUndefined));
    }
    ++i;
  }
  --depth_;
}

// One chain; gives the directive after its #endif.
std::uint32_t Preprocessor::Walk::chain(FileIndex index, std::uint32_t chain_index,
                                        const Outcomes& live) {
  const Directives& file = *files_[index]->source.directives;
  const Chain& chain = file.chains[chain_index];
  auto past_end = static_cast<std::uint32_t>(file.list.size());
  std::uint32_t endif = chain.endif != kNone ? chain.endif : past_end;
  Outcomes left = yes();  // no arm so far is taken
  std::vector<Ended> ended;
  std::vector<std::uint32_t> open_before;  // arms whose condition can be false
  bool has_else = false;
  auto begin_arm = [&] {
    std::size_t mark = environment_.mark();
    for (std::uint32_t before : open_before) narrow_to(index, before, false);
    return mark;
  };
  for (std::uint32_t a = chain.first; a != kNone; a = file.arms[a].next) {
    const Arm& arm = file.arms[a];
    CodeTargetSet reached = may_be_true(live & left);
    if (may_be_true(left).empty()) break;
    std::size_t mark = begin_arm();
    bool otherwise = arm.kind == DirectiveKind::else_;
    has_else |= otherwise;
    Outcomes condition = otherwise ? Outcomes(yes()) : evaluate(index, a);
    Outcomes taken = left & condition;
    Outcomes arm_live = live & taken;
    record(index, a, otherwise ? left : condition, arm_live, reached);
    if (ended.empty() && open_before.empty() && taken.uniform() && taken.cell(0).value.is(value::kTrue)) {
      // The one arm that counts: what it changes stays, and the others are never looked at.
      std::uint32_t to = arm.next != kNone ? file.arms[arm.next].directive : endif;
      run(index, arm.directive + 1, to, arm_live);
      return std::min(endif + 1, past_end);
    }
    if (!may_be_true(arm_live).empty()) {
      bool open = !targets_with(condition, value::kUnknown).empty();
      if (open) narrow_to(index, a, true);
      std::uint32_t to = arm.next != kNone ? file.arms[arm.next].directive : endif;
      run(index, arm.directive + 1, to, arm_live);
    }
    ended.push_back({std::move(taken), environment_.take_back(mark)});
    left = otherwise ? Outcomes(no()) : left & !condition;
    if (!targets_with(condition, value::kUnknown).empty()) open_before.push_back(a);
  }
  if (!has_else) {
    std::size_t mark = begin_arm();
    ended.push_back({left, environment_.take_back(mark)});
  }
  join(ended);
  return std::min(endif + 1, past_end);
}

// After a chain: a macro is what the arm that was taken made it.
void Preprocessor::Walk::join(const std::vector<Ended>& ended) {
  std::vector<std::uint32_t> slots;
  for (const Ended& e : ended) {
    for (const auto& change : e.changes) slots.push_back(change.first);
  }
  if (slots.empty()) return;
  std::ranges::sort(slots);
  auto repeated = std::ranges::unique(slots);
  slots.erase(repeated.begin(), repeated.end());
  for (std::uint32_t slot : slots) {
    const Environment::State before = environment_.get(slot);
    std::vector<const Environment::State*> values;
    bool uniform = true;
    for (const Ended& e : ended) {
      auto found = std::ranges::lower_bound(e.changes, slot, {}, [](const auto& c) { return c.first; });
      bool changed = found != e.changes.end() && found->first == slot;
      values.push_back(changed ? &found->second : &before);
      uniform &= values.back()->uniform() && e.taken.uniform();
    }
    auto at = [&](unsigned target) {
      FreeSet why;
      for (const Ended& e : ended) why = why | e.taken.at(target).why;
      std::optional<Environment::StateId> state;
      for (std::size_t i = 0; i < ended.size(); ++i) {
        if (!ended[i].taken.at(target).may_be_true()) continue;
        Environment::StateId value = values[i]->at(target);
        state = state ? environment_.join(*state, value, why) : value;
      }
      return state.value_or(before.at(target));
    };
    Environment::State joined =
        uniform ? Environment::State(at(0)) : Environment::State::tabulate(at);
    environment_.set(slot, std::move(joined));
  }
}

void Preprocessor::Walk::define(FileIndex index, const Directive& d) {
  if (d.index == kNone) return;
  File& file = *files_[index];
  const Define& define = file.source.directives->defines[d.index];
  DefinitionId& id = file.definitions[d.index];
  std::uint32_t slot = slot_at(index, define.name);
  if (id == kUndefined) {
    Definition definition;
    definition.name = environment_.name(slot);
    definition.function_like = define.function_like;
    definition.variadic = define.variadic;
    for (source::Range p : define.parameters)
      definition.parameters.push_back(Symbol(text(index, p)));
    definition.body = tokenize(file.source.text, define.body);
    environment_.bind(definition.body);
    definition.file = file.name;
    definition.where = d.range;
    id = environment_.add(std::move(definition));
  }
  environment_.set(slot, Environment::State(id));
}

Outcomes Preprocessor::Walk::evaluate(FileIndex index, std::uint32_t arm) {
  const Arm& a = files_[index]->source.directives->arms[arm];
  const Tokens& tokens = condition(index, arm);
  if (a.kind != DirectiveKind::if_ && a.kind != DirectiveKind::elif) {
    if (tokens.empty() || tokens[0].slot == kNone) return no();
    Outcomes defined = evaluate_defined(environment_, tokens[0].slot);
    bool negated = a.kind == DirectiveKind::ifndef || a.kind == DirectiveKind::elifndef;
    return negated ? !defined : defined;
  }
  bool malformed = false;
  Outcomes out = evaluate_condition(environment_, tokens, header_test(index), malformed);
  std::vector<Problem>& problems = visits_[visit_]->result.problems;
  Problem problem{Problem::Kind::condition, a.condition};
  if (malformed && std::ranges::find(problems, problem) == problems.end())
    problems.push_back(problem);
  return out;
}

void Preprocessor::Walk::narrow_to(FileIndex index, std::uint32_t arm, bool wanted) {
  const Arm& a = files_[index]->source.directives->arms[arm];
  const Tokens& tokens = condition(index, arm);
  switch (a.kind) {
    case DirectiveKind::if_:
    case DirectiveKind::elif: return narrow(environment_, tokens, wanted);
    case DirectiveKind::ifdef:
    case DirectiveKind::elifdef: break;
    case DirectiveKind::ifndef:
    case DirectiveKind::elifndef: wanted = !wanted; break;
    default: return;
  }
  if (!tokens.empty()) narrow_defined(environment_, tokens[0].slot, wanted);
}

}  // namespace ungate::cuda
