// Naming a condition by the parts that depend on the device.
#include <algorithm>

#include "cuda/guard.h"

namespace ungate::cuda {
namespace {

using Kind = ConditionNode::Kind;

struct Seen {
  bool lower = false, upper = false, equal = false, feature = false, macro = false;
};

class Namer {
 public:
  Namer(std::span<const Token> tokens, const ConditionTree& tree, const ArmResult& result)
      : tokens_(tokens), tree_(tree), result_(result) {}

  Seen run() {
    if (!tree_.nodes.empty()) node(tree_.root, false);
    return seen_;
  }

 private:
  void node(std::uint32_t index, bool negated) {
    const ConditionNode& n = tree_.nodes[index];
    for (std::uint32_t child : n.children) node(child, negated != (n.kind == Kind::negation));
    if (n.children.empty()) leaf(index, n, negated);
  }

  const Outcomes* outcome(std::uint32_t index) const {
    auto found = std::ranges::find(tree_.leaves, index);
    auto i = static_cast<std::size_t>(found - tree_.leaves.begin());
    return i < result_.leaves.size() ? &result_.leaves[i] : nullptr;
  }

  void leaf(std::uint32_t index, const ConditionNode& n, bool negated) {
    const Outcomes* o = outcome(index);
    if (o == nullptr || !differs(*o, Outcomes::all())) return;
    bool arch = false;
    for (std::uint32_t i = n.begin; i < n.end; ++i) {
      std::string_view name = tokens_[i].text.text();
      arch |= name == "__CUDA_ARCH__";
      seen_.feature |= name != "__CUDA_ARCH__" && depends_on_target(name);
    }
    if (seen_.feature) return;
    if (!arch) {
      seen_.macro = true;
      return;
    }
    Punct op = n.op;
    if (auto c = macro_comparison(n, tokens_)) op = c->op;
    switch (op) {
      case Punct::ge:
      case Punct::gt: (negated ? seen_.upper : seen_.lower) = true; break;
      case Punct::lt:
      case Punct::le: (negated ? seen_.lower : seen_.upper) = true; break;
      default: seen_.equal = true;
    }
  }

  std::span<const Token> tokens_;
  const ConditionTree& tree_;
  const ArmResult& result_;
  Seen seen_;
};

}  // namespace

std::string_view name_of(Form form) {
  switch (form) {
    case Form::arch_range: return "pp-arch-range";
    case Form::arch_lower: return "pp-arch-lower";
    case Form::arch_upper: return "pp-arch-upper";
    case Form::arch_equal: return "pp-arch-equal";
    case Form::feature_macro: return "pp-feature-macro";
    case Form::macro: return "pp-macro";
  }
  return "";
}

Form form_of(std::span<const Token> tokens, const ConditionTree& tree, const ArmResult& result) {
  Seen seen = Namer(tokens, tree, result).run();
  if (seen.feature) return Form::feature_macro;
  if (seen.lower && seen.upper) return Form::arch_range;
  if (seen.lower) return Form::arch_lower;
  if (seen.upper) return Form::arch_upper;
  return seen.equal ? Form::arch_equal : Form::macro;
}

}  // namespace ungate::cuda
