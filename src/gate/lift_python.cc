#include "gate/lift_python.h"

#include <fmt/core.h>

#include "value/operators.h"

namespace ungate::gate {
namespace {

using python::Choice;
using python::Node;
using python::NodeId;
using python::NodeKind;
using python::Sink;
using python::Tree;

bool is_display(const Tree& t, NodeId id) {
  NodeKind k = t[id].kind;
  return k == NodeKind::list || k == NodeKind::tuple || k == NodeKind::set;
}

bool is_constant(const Tree& t, NodeId id, python::Constant c) {
  return t[id].kind == NodeKind::constant && t[id].op == static_cast<std::uint8_t>(c);
}

// What is said where a spelling has no edit.
Lift no_lift(std::string why) {
  Lift out;
  out.refused = std::move(why);
  return out;
}

// Devices that a list item with the target's major version, or exactly the target, brings along.
arch::DeviceSet same_major(arch::Device target) {
  arch::DeviceSet out;
  for (unsigned d : arch::known_devices()) {
    if (arch::Device(d).major() == target.major()) out |= arch::DeviceSet::of(d);
  }
  return out;
}

// How the items of a list write devices, and so how the target is to be written there.
struct Item_ {
  std::string text;         // empty: not understood
  arch::DeviceSet admits;
};

Item_ item_like(const Tree& t, NodeId list, const source::SourceFile& file, Sink::Lists lists, arch::Device target) {
  auto items = t.children(list);
  if (items.empty()) return {};
  arch::DeviceSet exact = arch::DeviceSet::of(target.index());
  const Node& first = t[items[0]];
  if (is_constant(t, items[0], python::Constant::integer)) {
    if (lists == Sink::Lists::majors) return {std::to_string(target.major()), same_major(target)};
    return {std::to_string(target.cc()), exact};
  }
  if (is_constant(t, items[0], python::Constant::string)) {
    // "90", "100a", "sm_90", "9.0": the same with the target's number.
    std::string spelled(first.name.text());
    auto device = arch::parse_device(spelled);
    if (!device) return {};
    std::string from = spelled.find('.') != std::string::npos ? device->dotted() : std::to_string(device->cc());
    std::size_t at = spelled.find(from);
    if (at == std::string::npos) return {};
    spelled.replace(at, from.size(), spelled.find('.') != std::string::npos ? target.dotted() : std::to_string(target.cc()));
    char quote = file.text()[first.range.begin];
    return {quote + spelled + quote, exact};
  }
  bool pair = first.kind == NodeKind::tuple && first.count == 2 && is_constant(t, t.child(items[0], 0), python::Constant::integer);
  if (pair) return {fmt::format("({}, {})", target.major(), target.minor()), exact};
  return {};
}

// `[9, 10]` -> `[9, 10, 12]`: after the last item, as the list itself separates them.
Lift append_to(const Tree& t, NodeId list, const source::SourceFile& file, Sink::Lists lists, const Gate& gate, arch::Device target) {
  Lift out;
  Item_ item = item_like(t, list, file, lists, target);
  if (item.text.empty()) {
    out.refused = "the items of the list are not understood";
    return out;
  }
  source::Range last = t[t.children(list).back()].range;
  source::Edit edit{{last.end, last.end}, "", ", " + item.text};
  out.edits.push_back({gate.path, gate.site, edit, file.position(last.end)});
  out.also_admits = item.admits - arch::DeviceSet::of(target.index()) - gate.admitted;
  return out;
}

// The lists that an integer compared with says: majors, or major * 10 + minor.
Sink::Lists lists_of(const Tree& t, NodeId list) {
  for (NodeId item : t.children(list)) {
    if (is_constant(t, item, python::Constant::integer) && t.integers[t[item].number] >= 20) return Sink::Lists::capabilities;
  }
  return Sink::Lists::majors;
}

Lift lift_sink(const Item& item, const source::SourceFile& file, arch::Device target) {
  const Tree& t = *item.choice.tree;
  NodeId list = item.choice.node;
  if (item.choice.sink->is_bound()) return no_lift("a bound on capabilities is moved by hand, for all devices up to the new one");
  if (item.choice.sink->lists == Sink::Lists::one) return no_lift("the architecture that it builds for is fixed here");
  if (t[list].kind == NodeKind::keyword) list = t.child(list, 0);
  else if (t[list].kind == NodeKind::call) list = t.child(list, 1);
  if (item.choice.sink->lists == Sink::Lists::gencode || !is_display(t, list)) {
    return no_lift("the list is not written here");
  }
  return append_to(t, list, file, item.choice.sink->lists, item.gate, target);
}

Lift lift_compare(const Item& item, const source::SourceFile& file, arch::Device target) {
  const Tree& t = *item.choice.tree;
  NodeId node = item.choice.node;
  auto operators = t.operators(node);
  if (operators.size() != 1 || item.choice.want == python::Want::no) return no_lift("the condition has no edit of one item");
  auto op = static_cast<value::Comparison>(operators[0]);
  NodeId right = t.child(node, 1);
  if (op == value::Comparison::in && is_display(t, right)) return append_to(t, right, file, lists_of(t, right), item.gate, target);
  if (op == value::Comparison::eq && is_constant(t, right, python::Constant::integer)) {
    // `major == 9` -> `major in (9, 12)`
    std::int64_t n = t.integers[t[right].number];
    bool major = n < 20;
    source::Range from{t[t.child(node, 0)].range.end, t[right].range.end};
    Lift out;
    std::string after = fmt::format(" in ({}, {})", n, major ? target.major() : target.cc());
    out.edits.push_back({item.gate.path, item.gate.site, {from, std::string(file.text(from)), after}, file.position(from.begin)});
    if (major) out.also_admits = same_major(target) - arch::DeviceSet::of(target.index());
    return out;
  }
  return no_lift("this comparison has no edit that stops at the device's family");
}

}  // namespace

Lift lift_python(const Item& item, const source::SourceFile& file, arch::Device target) {
  if (item.choices.size() > 1) return no_lift("an `or` of helpers needs a term of its own for the device; a patch set can add it");
  switch (item.choice.kind) {
    case Choice::Kind::sink: return lift_sink(item, file, target);
    case Choice::Kind::compare: return lift_compare(item, file, target);
    case Choice::Kind::call:
    case Choice::Kind::flag: return no_lift("a helper named after an architecture is not widened; its use needs a term for the device");
    case Choice::Kind::subscript:
    case Choice::Kind::lookup: return no_lift("a table needs measured values for the device, not one more key");
    case Choice::Kind::bound: return no_lift("a bound on capabilities is moved by hand, for all devices up to the new one");
    default: return no_lift("this spelling has no edit");
  }
}

}  // namespace ungate::gate
