#include "gate/statements.h"

namespace ungate::gate {

using python::NodeId;
using python::NodeKind;
using python::Tree;

namespace {

bool is_simple(const Tree& t, NodeId id) {
  NodeKind k = t[id].kind;
  if (k == NodeKind::expression) return t[t.child(id, 0)].kind != NodeKind::constant;
  return k == NodeKind::assign || k == NodeKind::annotated || k == NodeKind::return_;
}

}  // namespace

std::vector<NodeId> simple_statements(const Tree& t, NodeId block) {
  std::vector<NodeId> out;
  if (block == 0 || t[block].kind != NodeKind::block) return out;
  for (NodeId id : t.children(block)) {
    if (is_simple(t, id)) out.push_back(id);
  }
  return out;
}

NodeId body_of_function(const Tree& t) {
  // Functions inside it come before it.
  NodeId outermost = 0, body = 0;
  for (NodeId id = 1; id < t.nodes.size(); ++id) {
    bool wider = outermost == 0 || t[id].range.size() > t[outermost].range.size();
    if (t[id].kind == NodeKind::function && wider) outermost = id;
  }
  if (outermost == 0) return 0;
  for (NodeId part : t.children(outermost)) {
    if (t[part].kind == NodeKind::block) body = part;
  }
  return body;
}

}  // namespace ungate::gate
