#include "cuda/condition_lifter.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "cuda/arch_terms.h"

namespace ungate::cuda {
namespace {

using Kind = ConditionNode::Kind;
using arch::CodeTarget;
using arch::CodeTargetSet;

bool is_list(Kind k) { return k == Kind::conjunction || k == Kind::disjunction; }

// Targets whose outcome is certainly not `truth`.
CodeTargetSet lacking(const Outcomes& o, bool truth) {
  return o.where([&](Outcome x) { return truth ? !x.may_be_true() : !x.may_be_false(); });
}

}  // namespace

bool ConditionLifter::fail(std::string why) {
  if (why_.empty()) why_ = std::move(why);
  return false;
}

Outcomes ConditionLifter::value(std::uint32_t index) const {
  const ConditionNode& n = tree_.nodes[index];
  if (n.children.empty()) {
    auto leaf = std::ranges::find(tree_.leaves, index);
    auto i = static_cast<std::size_t>(leaf - tree_.leaves.begin());
    return i < result_.leaves.size() ? result_.leaves[i] : result_.condition;
  }
  if (n.kind == Kind::negation) return !value(n.children[0]);
  bool conjunction = n.kind == Kind::conjunction;
  Outcomes out = conjunction ? value(n.children[0]) : !value(n.children[0]);
  for (std::size_t i = 1; i < n.children.size(); ++i) {
    Outcomes next = value(n.children[i]);
    out = out & (conjunction ? next : !next);
  }
  return conjunction ? out : !out;
}

bool ConditionLifter::device_dependent(std::uint32_t node) const {
  return differs(value(node), Outcomes::all());
}

std::uint32_t ConditionLifter::parent(std::uint32_t node) const {
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) {
    if (std::ranges::find(tree_.nodes[i].children, node) != tree_.nodes[i].children.end()) return i;
  }
  return kNone;
}

bool ConditionLifter::make(std::uint32_t index, bool truth, Set targets) {
  Set wrong = targets & lacking(value(index), truth);
  if (wrong.empty()) return true;
  const ConditionNode& n = tree_.nodes[index];
  switch (n.kind) {
    case Kind::negation: return make(n.children[0], !truth, wrong);
    case Kind::conjunction:
    case Kind::disjunction:
      // A true && and a false || need all their operands, the other two need one.
      if (truth != (n.kind == Kind::conjunction)) return make_some(n, truth, wrong);
      return std::ranges::all_of(n.children,
                                 [&](std::uint32_t child) { return make(child, truth, wrong); });
    default: return make_leaf(index, truth, wrong);
  }
}

bool ConditionLifter::make_some(const ConditionNode& n, bool truth, Set targets) {
  std::vector<std::uint32_t> depending;
  for (std::uint32_t child : n.children) {
    if (device_dependent(child)) depending.push_back(child);
  }
  if (depending.empty()) return fail("no part of the condition depends on the device");
  // One that is more than a single test is changed itself; lists of tests get one test more.
  const ConditionNode& first = tree_.nodes[depending.front()];
  if (depending.size() == 1 && (is_list(first.kind) || first.kind == Kind::negation)) {
    return make(depending.front(), truth, targets);
  }
  std::uint32_t last = depending.back();
  if (!truth) return add_term(last, false, unequal_terms(targets));
  const ConditionNode& leaf = tree_.nodes[last];
  bool feature = false;
  for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) {
    std::string_view name = tokens_[i].text.text();
    feature |= name != "__CUDA_ARCH__" && depends_on_target(name);
  }
  insert(leaf.outer.end,
         " || " + (feature && !is_list(leaf.kind) ? feature_terms(targets) : equal_terms(targets)));
  return true;
}

bool ConditionLifter::make_leaf(std::uint32_t index, bool truth, Set targets) {
  const ConditionNode& n = tree_.nodes[index];
  if (!device_dependent(index)) {
    return fail(fmt::format("'{}' is {} on every device", text::one_line(text(n.range), 60),
                            truth ? "false" : "true"));
  }
  bool arch = false, feature = false;
  for (std::uint32_t i = n.begin; i < n.end; ++i) {
    std::string_view name = tokens_[i].text.text();
    arch |= name == "__CUDA_ARCH__";
    feature |= name != "__CUDA_ARCH__" && depends_on_target(name);
  }
  if (!arch && !feature) {
    std::string where;
    for (const MacroUse& m : result_.macros) {
      for (const Place& p : m.definitions)
        where += (where.empty() ? " (defined in " : ", ") + std::string(p.file.text());
    }
    return fail(fmt::format("'{}' is decided by another macro{}", text::one_line(text(n.range), 60),
                            where.empty() ? "" : where + ")"));
  }
  auto c = macro_comparison(n, tokens_);
  if (c && arch && c->op != Punct::eq && c->op != Punct::ne)
    return move_bound(index, *c, truth, targets);
  if (c && arch && truth && c->op == Punct::ne) return remove(index);
  if (!truth) return add_term(index, false, unequal_terms(targets));
  return add_term(index, true, feature ? feature_terms(targets) : equal_terms(targets));
}

// X < N, X >= N and their kin. The comparison ends up true on the targets if its truth is wanted,
// else false; both times the targets come to the other side of the bound.
bool ConditionLifter::move_bound(std::uint32_t index, const MacroComparison& c, bool truth,
                                 Set targets) {
  bool below = c.op == Punct::lt || c.op == Punct::le;  // true for small values
  int least = 0, end = 0;
  for (unsigned d : arch::devices_of(targets)) {
    arch::Device device(d);
    if (least == 0 || device.cuda_arch() < least) least = device.cuda_arch();
    end = std::max(end, (device.major() + 1) * 100);
  }
  bool up = below == truth;  // the bound moves up to `end`, or down to `least`
  std::int64_t bound = up ? end : least;
  // Everything between the old bound and the new one changes sides.
  Set changed = Set();
  Outcomes now = value(index);
  for (unsigned t : Outcomes::all()) {
    int arch = CodeTarget(t).device().cuda_arch();
    bool other = lacking(now, truth).has(t);
    if (other && (up ? arch < bound : arch >= bound)) changed |= Set::of(t);
  }
  bool drops = options_.open_upward && up && truth;
  if (drops) return remove(index);
  if (!family_of(targets).contains(changed) || bound % c.divisor != 0) {
    return truth ? add_term(index, true, family_terms(targets))
                 : add_term(index, false, unequal_terms(targets));
  }
  // `<= 1030` and `> 1030` become `< 1300` and `>= 1300`.
  const Token& op = tokens_[tree_.nodes[index].op_token];
  std::string spelled = c.reversed ? (below ? ">" : "<=") : (below ? "<" : ">=");
  if (op.text.text() != spelled) replace(op.range, spelled);
  return replace(tokens_[c.number_token].range, std::to_string(bound / c.divisor));
}

// node || term, or node && term, in parentheses unless the place needs none.
bool ConditionLifter::add_term(std::uint32_t index, bool any, const std::string& term) {
  const ConditionNode& n = tree_.nodes[index];
  std::uint32_t up = parent(index);
  Kind around = up == kNone ? Kind::other : tree_.nodes[up].kind;
  bool bare = up == kNone || around == (any ? Kind::disjunction : Kind::conjunction);
  // What binds weaker than the new operator needs parentheses of its own.
  bool weak = n.outer == n.range && (n.kind == Kind::other || is_list(n.kind));
  insert(n.outer.begin, std::string(bare ? "" : "(") + (weak ? "(" : ""));
  insert(n.outer.end,
         std::string(weak ? ")" : "") + (any ? " || " : " && ") + term + (bare ? "" : ")"));
  return true;
}

// Takes an operand of && out, with its operator; alone it becomes 1. Line splices stay.
bool ConditionLifter::remove(std::uint32_t index) {
  const ConditionNode& n = tree_.nodes[index];
  std::uint32_t up = parent(index);
  if (up == kNone || tree_.nodes[up].kind != Kind::conjunction) return replace(n.range, "1");
  const ConditionNode& list = tree_.nodes[up];
  auto place =
      static_cast<std::size_t>(std::ranges::find(list.children, index) - list.children.begin());
  source::Range out = n.outer;
  if (place > 0) {
    out.begin = tree_.nodes[list.children[place - 1]].outer.end;
  } else {
    out.end = tree_.nodes[list.children[1]].outer.begin;
  }
  std::string kept;
  for (std::string_view rest = text(out); rest.find('\n') != std::string_view::npos;) {
    std::size_t line = rest.find('\n');
    std::size_t splice = rest.rfind('\\', line);
    kept += ' ';
    kept += rest.substr(splice, line + 1 - splice);
    rest.remove_prefix(line + 1);
  }
  return replace(out, kept);
}

bool ConditionLifter::replace(source::Range range, std::string after) {
  edits_.push_back({range, std::string(text(range)), std::move(after)});
  return true;
}

void ConditionLifter::insert(std::uint32_t at, std::string what) {
  if (!what.empty()) replace({at, at}, std::move(what));
}

}  // namespace ungate::cuda
