// Edits that change the truth of a condition; used by lift_arm.
#pragma once

#include <string>
#include <vector>

#include "cuda/condition_edit.h"
#include "cuda/condition_tree.h"

namespace ungate::cuda {

class ConditionLifter {
 public:
  // `leaves`: the outcomes of tree.leaves; `macros`: those that the condition names.
  ConditionLifter(std::string_view text, std::span<const Token> tokens, const ConditionTree& tree,
                  const ArmResult& result, const LiftOptions& options)
      : text_(text), tokens_(tokens), tree_(tree), result_(result), options_(options) {}

  // Makes the whole condition `truth` on the targets; false if it cannot, `why` says what stands in
  // the way.
  bool make(bool truth, arch::CodeTargetSet targets) {
    return tree_.nodes.empty() ? fail("the condition is empty") : make(tree_.root, truth, targets);
  }
  const std::vector<source::Edit>& edits() const { return edits_; }
  const std::string& why() const { return why_; }

 private:
  using Set = arch::CodeTargetSet;
  bool make(std::uint32_t node, bool truth, Set targets);
  bool make_some(const ConditionNode& node, bool truth, Set targets);
  bool make_leaf(std::uint32_t node, bool truth, Set targets);
  bool move_bound(std::uint32_t node, const struct MacroComparison& c, bool truth, Set targets);
  bool add_term(std::uint32_t node, bool truth, const std::string& term);
  bool remove(std::uint32_t node);
  bool replace(source::Range range, std::string after);
  void insert(std::uint32_t at, std::string what);
  bool fail(std::string why);

  Outcomes value(std::uint32_t node) const;
  bool device_dependent(std::uint32_t node) const;
  std::uint32_t parent(std::uint32_t node) const;
  std::string_view text(source::Range r) const { return text_.substr(r.begin, r.size()); }

  std::string_view text_;
  std::span<const Token> tokens_;
  const ConditionTree& tree_;
  const ArmResult& result_;
  const LiftOptions& options_;
  std::vector<source::Edit> edits_;
  std::string why_;
};

}  // namespace ungate::cuda
