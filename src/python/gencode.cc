// Flags of nvcc that fix the devices a module is built for: extra_cuda_cflags=sm90a_nvcc_flags + […].
//
// The gate stands where the fixed flags come in: a constant of the package, a literal. Flags that several
// places add to one list admit what any of them admits.
#include "arch/load.h"
#include "base/text.h"
#include "python/interpreter.h"

namespace ungate::python {

// "-gencode=arch=compute_90a,code=sm_90a", "code=[sm_90,compute_90]"
bool gencode_devices(std::string_view flag, DeviceSet& out) {
  bool any = false;
  for (std::size_t at = flag.find("code="); at != std::string_view::npos; at = flag.find("code=", at + 1)) {
    if (at >= 3 && flag.substr(at - 3, 3) == "gen") continue;
    for (std::string_view code : text::split(flag.substr(at + 5), ',')) {
      while (!code.empty() && (code.front() == '[' || code.front() == '"' || code.front() == '\'')) code.remove_prefix(1);
      while (!code.empty() && (code.back() == ']' || code.back() == '"' || code.back() == '\'')) code.remove_suffix(1);
      auto target = arch::parse_code_target(code);
      if (!target) continue;
      any = true;
      out |= code.starts_with("compute_") ? arch::ptx_devices(*target) : arch::sass_devices(*target);
    }
  }
  return any;
}

void Interpreter::record_gencode(NodeId flags, const Sink& sink, Frame& f, DeviceSet mask) {
  FixedFlags found;
  find_gencode(flags, f, mask, found);
  if (found.places.empty() || found.devices.contains(mask)) return;
  for (NodeId place : found.places) record_sink(place, sink, mask - found.devices, f, mask);
}

void Interpreter::find_gencode(NodeId id, Frame& f, DeviceSet mask, FixedFlags& found) {
  const Tree& t = *f.tree;
  const Node& n = t[id];
  auto each_child = [&](std::size_t from) {
    for (std::size_t i = from; i < n.count; ++i) find_gencode(t.child(id, i), f, mask, found);
  };
  switch (n.kind) {
    case NodeKind::binary:
    case NodeKind::list:
    case NodeKind::tuple:
    case NodeKind::star: return each_child(0);
    case NodeKind::conditional: return each_child(1);
    case NodeKind::constant:
      if (gencode_devices(n.name.text(), found.devices)) found.places.push_back(id);
      return;
    case NodeKind::name:
      if (n.number != 0) return find_assigned(n.number, f, mask, found);
      [[fallthrough]];
    case NodeKind::attribute: {
      Lifted value = unrecorded(id, f, mask);
      if (!l_.uniform(value)) return;  // it follows the device
      auto listed = listed_devices(l_.value(value), Sink::Lists::gencode);
      if (!listed) return;
      found.devices |= *listed;
      found.places.push_back(id);
      return;
    }
    default: return;  // what a call answers or a parameter holds is not fixed here
  }
}

// What the function at hand assigns to a variable, or adds to it.
void Interpreter::find_assigned(std::uint32_t slot, Frame& f, DeviceSet mask, FixedFlags& found) {
  if (f.function == kNoIndex || std::ranges::find(found.variables, slot) != found.variables.end()) return;
  found.variables.push_back(slot);
  const Tree& t = *f.tree;
  std::vector<NodeId> waiting{t.child(functions_[f.function].node, 2)};
  while (!waiting.empty()) {
    NodeId id = waiting.back();
    waiting.pop_back();
    const Node& n = t[id];
    if (n.kind == NodeKind::function || n.kind == NodeKind::klass || n.kind == NodeKind::lambda) continue;
    bool assigns = n.kind == NodeKind::assign || n.kind == NodeKind::augmented;
    if (assigns && n.count == 2 && t[t.child(id, 0)].kind == NodeKind::name && t[t.child(id, 0)].number == slot) {
      find_gencode(t.child(id, 1), f, mask, found);
      continue;
    }
    waiting.insert(waiting.end(), t.children(id).begin(), t.children(id).end());
  }
}

}  // namespace ungate::python
