// What a kernel asks of the platform, as bounds handed to a call: CapabilityRequirement(min_arch_version=…).
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {

// False if the text or texts name vendors and ours is not among them: their devices count capabilities in the same
// numbers and are others.
bool Interpreter::may_be_ours(ValueId vendors, const Sink& bound) const {
  bool known = true, ours = false;
  auto look = [&](ValueId v) {
    if (s_.kind(v) != Kind::string) known = false;
    else ours = ours || std::ranges::find(bound.own_vendors, s_.text(v)) != bound.own_vendors.end();
  };
  if (value::is_container(s_.kind(vendors)) && !s_.node(vendors).open) {
    for (ValueId item : s_.items(vendors)) look(item);
  } else {
    look(vendors);
  }
  return ours || !known;
}

// (major, minor) of a bound: a pair, an object that has both, `10`, `100`, "10.0". `most`: of the largest it allows.
std::optional<std::pair<std::int64_t, std::int64_t>> Interpreter::bound_of(ValueId v, bool most) {
  using Pair = std::pair<std::int64_t, std::int64_t>;
  std::int64_t any_minor = most ? 9 : 0;
  if (s_.kind(v) == Kind::object) v = fields_of(v);
  if (s_.kind(v) == Kind::tuple || s_.kind(v) == Kind::record) {
    std::span<const ValueId> items = s_.items(v);
    if (items.empty() || items.size() > 2 || !std::ranges::all_of(items, [&](ValueId i) { return s_.kind(i) == Kind::integer; })) return {};
    return Pair{s_.node(items[0]).number, items.size() == 2 ? s_.node(items[1]).number : any_minor};
  }
  if (s_.kind(v) == Kind::integer) {
    std::int64_t n = s_.node(v).number;
    return n < 20 ? Pair{n, any_minor} : Pair{n / 10, n % 10};
  }
  auto device = s_.kind(v) == Kind::string ? arch::parse_device(s_.text(v)) : std::nullopt;
  return device && !device->is_future() ? std::optional(Pair{device->major(), device->cc() % 10}) : std::nullopt;
}

void Interpreter::record_requirement(NodeId call, Frame& f, DeviceSet mask, Symbol decorated) {
  const Tree& t = *f.tree;
  const Sink* bound = nullptr;
  for (std::size_t i = 1; i < t[call].count; ++i) {
    const Sink* sink = t[t.child(call, i)].kind == NodeKind::keyword ? k_.sink(t[t.child(call, i)].name, false) : nullptr;
    if (sink != nullptr && sink->is_bound()) bound = sink;
  }
  if (bound == nullptr) return;
  // `Requirement.hip(min_sm=…)`
  if (std::ranges::find(bound->other_vendors, t[t.child(call, 0)].name.text()) != bound->other_vendors.end()) return;
  DeviceSet admitted = mask;
  for (std::size_t i = 1; i < t[call].count; ++i) {
    NodeId argument = t.child(call, i);
    if (t[argument].kind != NodeKind::keyword) continue;
    const Sink* sink = k_.sink(t[argument].name, false);
    bool vendors = t[argument].name == bound->vendors;
    if (!vendors && (sink == nullptr || !sink->is_bound())) continue;
    Lifted value = unrecorded(t.child(argument, 0), f, mask);
    if (!l_.uniform(value)) return;   // it follows the device already
    if (vendors && !may_be_ours(l_.value(value), *bound)) return;
    if (vendors) continue;
    bool most = sink->lists == Sink::Lists::most;
    auto limit = bound_of(l_.value(value), most);
    if (!limit) continue;
    for (unsigned d : mask) {
      arch::Device device(d);
      std::pair<std::int64_t, std::int64_t> has{device.is_future() ? 99 : device.major(), device.is_future() ? 0 : device.cc() % 10};
      if (most ? has > *limit : has < *limit) admitted -= DeviceSet::of(d);
    }
  }
  if (admitted == mask) return;
  record_sink(call, *bound, mask - admitted, f, mask);
  Choice& c = choice_at(call, f);
  c.refusal = Refusal::none;
  if (decorated != Symbol()) c.function = decorated;
}

// Of what a decorator is made of: `@register(capability=Requirement(…))`.
void Interpreter::record_requirements(NodeId id, Frame& f, Symbol decorated) {
  const Tree& t = *f.tree;
  if (t[id].kind == NodeKind::call) record_requirement(id, f, value::Values::all(), decorated);
  for (NodeId child : t.children(id)) record_requirements(child, f, decorated);
}

}  // namespace ungate::python
