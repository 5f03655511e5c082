#include "cuda/condition_edit.h"

#include <algorithm>

#include <fmt/core.h>

#include "cuda/condition_lifter.h"

namespace ungate::cuda {
namespace {

using arch::CodeTargetSet;

std::unexpected<Error> refuse(std::string why) { return fail(ErrorCode::refused, std::move(why)); }

bool is_ifdef(DirectiveKind k) {
  return k == DirectiveKind::ifdef || k == DirectiveKind::ifndef || k == DirectiveKind::elifdef ||
         k == DirectiveKind::elifndef;
}

class Lifter {
 public:
  Lifter(FileText file, const FileResult& result, const LiftOptions& options)
      : file_(file), d_(*file.directives), result_(result), options_(options) {}

  // Makes the condition of an arm `truth` on the targets.
  Status change(std::uint32_t arm, bool truth, CodeTargetSet targets) {
    const Arm& a = d_.arms[arm];
    Tokens tokens = tokenize(file_.text, a.condition);
    ConditionTree tree = parse_condition(tokens);
    if (is_ifdef(a.kind)) return change_ifdef(a, arm, tokens, truth, targets);
    ConditionLifter lifter(file_.text, tokens, tree, result_.arms[arm], options_);
    if (!lifter.make(truth, targets)) return refuse(lifter.why());
    edits_.insert(edits_.end(), lifter.edits().begin(), lifter.edits().end());
    return {};
  }

  std::vector<source::Edit>& edits() { return edits_; }

 private:
  // `#ifdef X` -> `#if defined(X) || term`, by way of the lifter on the longer spelling.
  Status change_ifdef(const Arm& a, std::uint32_t arm, const Tokens& tokens, bool truth,
                      CodeTargetSet targets) {
    if (tokens.empty()) return refuse("the condition is empty");
    bool negated = a.kind == DirectiveKind::ifndef || a.kind == DirectiveKind::elifndef;
    bool chained = a.kind == DirectiveKind::elifdef || a.kind == DirectiveKind::elifndef;
    std::string spelled = fmt::format("{}defined({})", negated ? "!" : "", tokens[0].text.text());
    Tokens long_tokens = tokenize(spelled);
    ConditionTree tree = parse_condition(long_tokens);
    // The recorded leaf of an #ifdef or #ifndef is `defined(X)`, as in the longer spelling.
    ConditionLifter lifter(spelled, long_tokens, tree, result_.arms[arm], options_);
    if (!lifter.make(truth, targets)) return refuse(lifter.why());
    auto changed = source::apply_edits(spelled, lifter.edits(), "condition");
    if (!changed) return std::unexpected(changed.error());
    const Directive& d = d_.list[a.directive];
    std::string_view line = file_.text.substr(d.range.begin, a.condition.end - d.range.begin);
    std::size_t word = line.find(chained ? "elif" : "if");
    source::Range range{d.range.begin + static_cast<std::uint32_t>(word), a.condition.end};
    std::string_view before = file_.text.substr(range.begin, range.size());
    if (before.find('\n') != std::string_view::npos)
      return refuse("the directive is spread over lines");
    edits_.push_back(
        {range, std::string(before), fmt::format("{} {}", chained ? "elif" : "if", *changed)});
    return {};
  }

  FileText file_;
  const Directives& d_;
  const FileResult& result_;
  const LiftOptions& options_;
  std::vector<source::Edit> edits_;
};

// The arms of the chain before `arm`.
std::vector<std::uint32_t> arms_before(const Directives& d, std::uint32_t arm) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t a = d.chains[d.arms[arm].chain].first; a != arm && a != kNone;
       a = d.arms[a].next)
    out.push_back(a);
  return out;
}

}  // namespace

Result<Lift> lift_arm(FileText file, const FileResult& result, std::uint32_t arm,
                      CodeTargetSet wanted, const LiftOptions& options,
                      const Reevaluate& reevaluate) {
  const Directives& d = *file.directives;
  Lifter lifter(file, result, options);
  bool otherwise = d.arms[arm].kind == DirectiveKind::else_;
  for (std::uint32_t before : arms_before(d, arm)) {
    CodeTargetSet takes = wanted & targets_with(result.arms[before].condition, value::kTrue);
    if (takes.empty()) continue;
    if (!otherwise) return refuse("an arm before it takes " + arch::to_text(takes));
    if (Status s = lifter.change(before, false, takes); !s) return std::unexpected(s.error());
  }
  if (!otherwise) {
    if (Status s = lifter.change(arm, true, wanted); !s) return std::unexpected(s.error());
  }
  Lift lift;
  lift.edits = std::move(lifter.edits());
  auto edited = source::apply_edits(file.text, lift.edits, "the edited file");
  if (!edited) return std::unexpected(edited.error());
  Directives directives = read_directives(*edited);
  if (directives.arms.size() != d.arms.size())
    return fail(ErrorCode::internal, "an edit changed the directives");
  FileResult again = reevaluate({*edited, &directives});
  lift.before = result.arms[arm].condition;
  lift.after = again.arms[arm].condition;
  if (CodeTargetSet left = wanted - may_be_true(lift.after); !left.empty()) {
    return refuse("no edit of the condition admits " + arch::to_text(left));
  }
  lift.also = may_be_true(lift.after) - may_be_true(lift.before) - wanted;
  return lift;
}

}  // namespace ungate::cuda
