#include "python/scope.h"

#include <algorithm>

#include "python/outline.h"

namespace ungate::python {
namespace {

class Resolver {
 public:
  explicit Resolver(Tree& tree) : tree_(tree) {}

  void run() {
    tree_.scopes.assign(1, {});
    collect(tree_.root, 0, {});
    visit(tree_.root, 0);
  }

 private:
  Node& node(NodeId id) { return tree_.nodes[id]; }
  std::vector<NodeId> children(NodeId id) const {
    auto links = tree_.children(id);
    return {links.begin(), links.end()};
  }
  static bool opens_scope(NodeKind k) {
    return k == NodeKind::function || k == NodeKind::lambda || k == NodeKind::klass;
  }

  std::uint32_t slot(std::uint32_t scope, Symbol name) {
    auto& slots = tree_.scopes[scope].slots;
    auto found = std::ranges::find(slots, name);
    if (found == slots.end()) {
      slots.push_back(name);
      return static_cast<std::uint32_t>(slots.size());
    }
    return static_cast<std::uint32_t>(found - slots.begin()) + 1;
  }

  void bind_targets(NodeId id, std::uint32_t scope, const std::vector<Symbol>& outer) {
    if (id == 0) return;
    const Node& n = node(id);
    // `TABLE["x"] = …` at the top level changes what TABLE holds there.
    if (scope == 0 && (n.kind == NodeKind::subscript || n.kind == NodeKind::attribute)) {
      return bind_targets(tree_.child(id, 0), scope, outer);
    }
    if (n.kind == NodeKind::name) {
      if (std::ranges::find(outer, n.name) == outer.end()) slot(scope, n.name);
    } else if (n.kind == NodeKind::tuple || n.kind == NodeKind::list || n.kind == NodeKind::star) {
      for (NodeId child : children(id)) bind_targets(child, scope, outer);
    }
  }

  // Everything that the statements of a function bind, not descending into scopes of their own.
  void collect(NodeId id, std::uint32_t scope, const std::vector<Symbol>& outer) {
    if (id == 0) return;
    const Node& n = node(id);
    auto bind_name = [&](Symbol name) {
      if (!name.empty() && std::ranges::find(outer, name) == outer.end()) slot(scope, name);
    };
    switch (n.kind) {
      case NodeKind::function:
      case NodeKind::klass: bind_name(n.name); return;
      case NodeKind::lambda: return;
      case NodeKind::yield: tree_.scopes[scope].generator = true; break;
      case NodeKind::assign: {
        auto parts = children(id);
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) bind_targets(parts[i], scope, outer);
        break;
      }
      case NodeKind::augmented:
      case NodeKind::annotated:
      case NodeKind::walrus:
      case NodeKind::for_:
      case NodeKind::clause_for: bind_targets(tree_.child(id, 0), scope, outer); break;
      case NodeKind::with_item: bind_targets(tree_.child(id, 1), scope, outer); break;
      case NodeKind::handler:
      case NodeKind::pattern_any: bind_name(n.name); break;
      case NodeKind::expression: {
        // So does `names.append("x")`.
        NodeId call = tree_.child(id, 0);
        if (scope != 0 || node(call).kind != NodeKind::call) break;
        NodeId method = tree_.child(call, 0);
        if (node(method).kind == NodeKind::attribute && is_mutator(node(method).name.text())) {
          bind_targets(tree_.child(method, 0), scope, outer);
        }
        break;
      }
      case NodeKind::alias: bind_name(tree_.symbols[n.number]); break;
      default: break;
    }
    for (NodeId child : children(id)) collect(child, scope, outer);
  }

  // The variables of comprehensions in a lambda's body.
  void collect_comprehensions(NodeId id, std::uint32_t scope) {
    if (id == 0 || opens_scope(node(id).kind)) return;
    if (node(id).kind == NodeKind::clause_for) bind_targets(tree_.child(id, 0), scope, {});
    for (NodeId child : children(id)) collect_comprehensions(child, scope);
  }

  void globals_of(NodeId id, std::vector<Symbol>& out) {
    if (id == 0 || opens_scope(node(id).kind)) return;
    if (node(id).kind == NodeKind::global) {
      for (NodeId child : children(id)) out.push_back(node(child).name);
    }
    for (NodeId child : children(id)) globals_of(child, out);
  }

  // Numbers the names below a node that stand in `scope`; opens the scopes of functions.
  void visit(NodeId id, std::uint32_t scope) {
    if (id == 0) return;
    switch (node(id).kind) {
      case NodeKind::name: number(id, scope); return;
      case NodeKind::function:
      case NodeKind::lambda: open(id, scope); return;
      case NodeKind::klass: open_class(id, scope); return;
      default: break;
    }
    for (NodeId child : children(id)) visit(child, scope);
  }

  void number(NodeId id, std::uint32_t scope) {
    auto& s = tree_.scopes[scope];
    auto found = std::ranges::find(s.slots, node(id).name);
    if (found != s.slots.end()) {
      node(id).number = static_cast<std::uint32_t>(found - s.slots.begin()) + 1;
    } else if (std::ranges::find(s.free, node(id).name) == s.free.end()) {
      s.free.push_back(node(id).name);
    }
  }

  void open(NodeId id, std::uint32_t outer_scope) {
    bool lambda = node(id).kind == NodeKind::lambda;
    auto scope = static_cast<std::uint32_t>(tree_.scopes.size());
    tree_.scopes.emplace_back();
    node(id).number = scope;
    NodeId params = tree_.child(id, 0), body = tree_.child(id, lambda ? 1 : 2);
    for (NodeId param : children(params)) {
      slot(scope, node(param).name);
      // Defaults and annotations stand in the scope outside.
      for (NodeId part : children(param)) visit(part, outer_scope);
    }
    std::vector<Symbol> globals;
    globals_of(body, globals);
    if (lambda) {
      collect_comprehensions(body, scope);
    } else {
      collect(body, scope, globals);
      visit(tree_.child(id, 1), outer_scope);
      auto parts = children(id);
      for (std::size_t i = 3; i < parts.size(); ++i) visit(parts[i], outer_scope);
    }
    visit(body, scope);
    pass_on(scope);
  }

  void open_class(NodeId id, std::uint32_t outer_scope) {
    auto scope = static_cast<std::uint32_t>(tree_.scopes.size());
    tree_.scopes.emplace_back();
    node(id).number = scope;
    auto parts = children(id);
    for (std::size_t i = 1; i < parts.size(); ++i) visit(parts[i], outer_scope);
    collect(parts[0], scope, {});
    visit(parts[0], scope);
    pass_on(scope);
  }

  void pass_on(std::uint32_t scope) {
    // What an inner function takes from further out, this one must pass on.
    for (std::size_t inner = scope + 1; inner < tree_.scopes.size(); ++inner) {
      for (Symbol name : tree_.scopes[inner].free) {
        auto& mine = tree_.scopes[scope];
        bool local = std::ranges::find(mine.slots, name) != mine.slots.end();
        if (!local && std::ranges::find(mine.free, name) == mine.free.end()) mine.free.push_back(name);
      }
    }
  }

  Tree& tree_;
};

}  // namespace

void resolve_scopes(Tree& tree) { Resolver(tree).run(); }

}  // namespace ungate::python
