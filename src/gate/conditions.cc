#include "gate/conditions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace ungate::gate {

using python::NodeId;
using python::NodeKind;
using python::Tree;

NodeId condition_around(const Tree& t, source::Range place) {
  NodeId best = 0;
  for (NodeId id = 1; id < t.nodes.size(); ++id) {
    bool boolean = t[id].kind == NodeKind::bool_and || t[id].kind == NodeKind::bool_or;
    if (boolean && t[id].range.contains(place) && (best == 0 || t[id].range.contains(t[best].range))) best = id;
  }
  return best;
}

NodeId conjunction_around(const Tree& t, source::Range place) {
  NodeId best = 0;
  for (NodeId id = 1; id < t.nodes.size(); ++id) {
    bool inner = t[id].kind == NodeKind::bool_and && t[id].range.contains(place);
    if (inner && (best == 0 || t[best].range.contains(t[id].range))) best = id;
  }
  return best;
}

NodeId test_around(const Tree& t, source::Range place) {
  NodeId best = 0;
  for (NodeId id = 1; id < t.nodes.size(); ++id) {
    bool holds = t[id].kind == NodeKind::if_ && t.child(id, 1) != 0 && t[t.child(id, 1)].range.contains(place);
    if (holds && (best == 0 || t[best].range.contains(t[id].range))) best = id;
  }
  return best == 0 ? 0 : t.child(best, 0);
}

NodeId block_around(const Tree& t, source::Range place) {
  NodeId best = 0;
  for (NodeId id = 1; id < t.nodes.size(); ++id) {
    bool holds = t[id].kind == NodeKind::block && t[id].range.contains(place);
    if (holds && (best == 0 || t[id].range.size() < t[best].range.size())) best = id;
  }
  return best;
}

NodeId assigned_at(const Tree& t, source::Range place) {
  NodeId best = 0;
  for (NodeId id = 1; id < t.nodes.size(); ++id) {
    bool assigns = t[id].kind == NodeKind::assign || t[id].kind == NodeKind::annotated;
    bool holds = assigns && t[id].range.contains(place) && t.child(id, 0) != 0;
    if (holds && (best == 0 || t[best].range.contains(t[id].range))) best = id;
  }
  return best == 0 ? 0 : t.child(best, 0);
}

namespace {

// The items of the list that is all that an arm returns or assigns, sorted; none for any other arm.
std::vector<std::string> items_given(const Tree& t, const source::SourceFile& file, NodeId arm) {
  std::vector<std::string> out;
  if (arm == 0 || t[arm].kind != NodeKind::block || t[arm].count != 1) return out;
  NodeId statement = t.child(arm, 0);
  bool gives = t[statement].kind == NodeKind::return_ || t[statement].kind == NodeKind::assign;
  if (!gives || t[statement].count == 0) return out;
  NodeId list = t.child(statement, t[statement].count - 1);
  if (t[list].kind != NodeKind::list && t[list].kind != NodeKind::tuple) return out;
  for (NodeId item : t.children(list)) out.push_back(text::one_line(file.text(t[item].range), 1000));
  std::ranges::sort(out);
  return out;
}

}  // namespace

bool only_order_differs(const Tree& t, const source::SourceFile& file, NodeId a, NodeId b) {
  std::vector<std::string> items = items_given(t, file, a);
  return items.size() > 1 && items == items_given(t, file, b);
}

}  // namespace ungate::gate
