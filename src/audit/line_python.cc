// A line of a Python file: the tests around it, what may leave the function before it, and which
// devices the evaluator saw get there.
#include <algorithm>

#include "audit/line.h"
#include "base/text.h"
#include "python/outline.h"

namespace ungate::audit {
namespace {

using python::NodeId;
using python::NodeKind;

class PythonLine {
 public:
  PythonLine(const Inside& inside, const source::SourceFile& file, python::ModuleId module,
             LineFacts& facts)
      : in_(inside),
        file_(file),
        module_(module),
        facts_(facts),
        offset_(offset_of(file, facts.code_line)) {}

  void run() {
    python::Module& module = in_.program.load(module_);
    for (std::uint32_t i = 0; i < module.pieces.size(); ++i) {
      if (!module.pieces[i].statement.range.contains(offset_)) continue;
      tree_ = &in_.program.tree(module_, i);
      descend(tree_->root);
    }
    arch::DeviceSet devices = operands_;
    if (auto reached = in_.evaluation.reached()) devices = devices & reached->devices;
    facts_.reached = arch::to_text(devices);
    facts_.everywhere = devices == arch::all_devices();
  }

 private:
  const python::Node& node(NodeId id) const { return (*tree_)[id]; }

  // The child that holds the line; of `a` and, on the next line, `and b` it is b.
  std::size_t child_at(NodeId id) const {
    auto children = tree_->children(id);
    bool operands = node(id).kind == NodeKind::bool_and || node(id).kind == NodeKind::bool_or;
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (children[i] == 0) continue;
      if (node(children[i]).range.contains(offset_) ||
          (operands && node(children[i]).range.begin >= offset_))
        return i;
    }
    return children.size();
  }

  void descend(NodeId id) {
    auto children = tree_->children(id);
    std::size_t i = child_at(id);
    if (i == children.size()) return;
    if (node(id).kind == NodeKind::block) {
      for (std::size_t before = 0; before < i; ++before) note_leaving(children[before]);
    }
    enter(id, i);
    descend(children[i]);
  }

  // The line stands in the i-th child of a node.
  void enter(NodeId id, std::size_t i) {
    switch (node(id).kind) {
      case NodeKind::if_:
      case NodeKind::while_:
        if (i > 0) note_test(tree_->child(id, 0), i == 1);
        break;
      case NodeKind::function:
        facts_.function =
            "function " + (class_.empty() ? "" : class_ + '.') + std::string(node(id).name.text());
        facts_.function_line = file_.position(node(id).range.begin).line;
        for (std::size_t d = 3; d < node(id).count; ++d) note_decorator(tree_->child(id, d));
        break;
      case NodeKind::klass:
        class_ = node(id).name.text();
        break;
      case NodeKind::bool_and:
      case NodeKind::bool_or:
        for (std::size_t before = 0; before < i; ++before)
          note_operand(tree_->child(id, before), node(id).kind == NodeKind::bool_and);
        break;
      case NodeKind::conditional:
        if (i > 0) note_operand(tree_->child(id, 0), i == 1);
        break;
      default:
        break;
    }
  }

  void note_test(NodeId test, bool holds) {
    LineCondition c = condition(node(test).range);
    c.holds = holds;
    for (const python::Choice& choice : choices_in(node(test).range)) {
      if (choice.condition == python::kNoIndex) continue;
      const value::Outcome& whole = in_.evaluation.conditions()[choice.condition].outcome;
      c.passes = arch::to_text(holds ? whole.may_pass() : whole.may_fail());
    }
    facts_.conditions.push_back(std::move(c));
  }

  // An operand that is asked before the line: the line is reached only if it comes out as `holds`.
  void note_operand(NodeId operand, bool holds) {
    std::vector<python::Choice> inside = choices_in(node(operand).range);
    if (inside.empty()) return;
    LineCondition c = condition(node(operand).range);
    c.holds = holds;
    arch::DeviceSet passes = whole(inside, node(operand).range, holds);
    c.passes = arch::to_text(passes);
    operands_ = operands_ & passes;
    facts_.conditions.push_back(std::move(c));
  }

  // Which devices an operand of several choices lets through: one of an `or` is enough, all others
  // count.
  arch::DeviceSet whole(const std::vector<python::Choice>& inside, source::Range range,
                        bool holds) const {
    arch::DeviceSet any, all = arch::all_devices();
    for (const python::Choice& c : inside) {
      any |= holds ? c.outcome.may_pass() : c.outcome.may_fail();
      all = all & (holds ? c.outcome.may_pass() : c.outcome.may_fail());
    }
    bool or_chain = std::ranges::any_of(inside, [&](const python::Choice& c) {
      return !c.either.empty() && range.contains(c.either);
    });
    return or_chain == holds ? any : all;
  }

  void note_decorator(NodeId decorator) {
    LineCondition c = condition(node(decorator).range);
    if (!c.depends) return;
    c.how = LineCondition::How::leaves;
    facts_.conditions.push_back(std::move(c));
  }

  // A statement before the line: of interest if a device can leave there and another goes on.
  void note_leaving(NodeId statement) {
    if (node(statement).kind == NodeKind::function || node(statement).kind == NodeKind::klass)
      return;
    std::vector<python::Choice> inside = choices_in(node(statement).range);
    bool raises = std::ranges::any_of(
        inside, [](const python::Choice& c) { return c.sink != nullptr || !c.raises.empty(); });
    if (inside.empty() || (!raises && !may_leave(statement))) return;
    source::Range range = node(statement).range;
    if (node(statement).kind == NodeKind::if_) range = node(tree_->child(statement, 0)).range;
    if (choices_in(range).empty()) range = inside.front().place.range;
    LineCondition c = condition(range);
    c.how = LineCondition::How::leaves;
    facts_.conditions.push_back(std::move(c));
  }

  bool may_leave(NodeId id) const {
    switch (node(id).kind) {
      case NodeKind::return_:
      case NodeKind::raise:
      case NodeKind::assert_:
      case NodeKind::continue_:
      case NodeKind::break_:
        return true;
      case NodeKind::function:
      case NodeKind::klass:
      case NodeKind::lambda:
        return false;
      default:
        break;
    }
    return std::ranges::any_of(tree_->children(id),
                               [&](NodeId child) { return child != 0 && may_leave(child); });
  }

  LineCondition condition(source::Range range) const {
    LineCondition c;
    c.line = file_.position(range.begin).line;
    c.text = text::one_line(file_.text(range), 200);
    for (const gate::Gate& gate : in_.report.gates) {
      if (gate.path != facts_.path || !range.contains(gate.range)) continue;
      c.gates.push_back(gate.id);
      c.passes = arch::to_text(gate.admitted);
      for (const std::string& name : gate.conditions) {
        if (std::ranges::find(c.decides, name) == c.decides.end()) c.decides.push_back(name);
      }
    }
    c.depends = !c.gates.empty() || !choices_in(range).empty();
    return c;
  }

  std::vector<python::Choice> choices_in(source::Range range) const {
    std::vector<python::Choice> out;
    for (const python::Choice& c : in_.evaluation.choices()) {
      if (c.place.module == module_ && range.contains(c.place.range)) out.push_back(c);
    }
    return out;
  }

  const Inside& in_;
  const source::SourceFile& file_;
  python::ModuleId module_;
  LineFacts& facts_;
  std::uint32_t offset_;
  const python::Tree* tree_ = nullptr;
  std::string class_;
  arch::DeviceSet operands_ = arch::all_devices();  // that get past the operands before the line
};

}  // namespace

void python_line(const Inside& inside, const source::SourceFile& file, LineFacts& facts) {
  if (auto module = inside.program.find_path(file.path()))
    PythonLine(inside, file, *module, facts).run();
}

}  // namespace ungate::audit
