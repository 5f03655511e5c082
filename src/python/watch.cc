// Which devices reach one place: noted while its function runs.
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {
namespace {

bool is_statement(NodeKind kind) {
  switch (kind) {
    case NodeKind::handler:
    case NodeKind::with_item:
    case NodeKind::params:
    case NodeKind::param:
    case NodeKind::alias:
      return false;
    default:
      return kind >= NodeKind::expression && kind <= NodeKind::match;
  }
}
// Its body is not run where it stands.
bool is_definition(NodeKind kind) {
  return kind == NodeKind::function || kind == NodeKind::klass || kind == NodeKind::lambda;
}

// The innermost statement below a node that holds the offset; definitions are not entered.
NodeId innermost(const Tree& t, NodeId id, std::uint32_t offset) {
  NodeId best = id;
  if (is_definition(t[id].kind)) return best;
  for (NodeId child : t.children(id)) {
    if (child == 0 || !t[child].range.contains(offset)) continue;
    NodeId inner = innermost(t, child, offset);
    if (is_statement(t[inner].kind)) best = inner;
  }
  return best;
}

}  // namespace

void Interpreter::note_reached(NodeId id, const Frame& f, DeviceSet mask) {
  auto same = std::ranges::find_if(
      watch_.seen, [&](const Watch::Statement& s) { return s.tree == f.tree && s.node == id; });
  if (same == watch_.seen.end()) same = watch_.seen.insert(same, {f.tree, id, {}});
  same->devices |= mask;
}

// The smallest statement that was run decides. If a smaller one stands in it that never ran, no
// device gets there.
std::optional<Reached> Interpreter::reached() const {
  if (watch_.seen.empty()) return std::nullopt;
  const auto& best = *std::ranges::min_element(
      watch_.seen, {}, [](const Watch::Statement& s) { return (*s.tree)[s.node].range.size(); });
  NodeId inner = innermost(*best.tree, best.node, watch_.offset);
  return Reached{(*best.tree)[inner].range, inner == best.node ? best.devices : DeviceSet()};
}

}  // namespace ungate::python
