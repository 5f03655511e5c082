// What a kernel asks of the platform, as bounds handed to a call: CapabilityRequirement(min_arch_version=…).
#include <algorithm>

#include "python/interpreter.h"

namespace ungate::python {
namespace {

// Vendors whose devices count capabilities in the same numbers and are others.
bool speaks_of_nvidia(const value::Store& s, ValueId vendors) {
  bool known = true, nvidia = false;
  auto look = [&](ValueId v) {
    if (s.kind(v) != Kind::string) known = false;
    else nvidia = nvidia || s.text(v) == "nvidia" || s.text(v) == "cuda";
  };
  if (value::is_container(s.kind(vendors)) && !s.node(vendors).open) {
    for (ValueId item : s.items(vendors)) look(item);
  } else {
    look(vendors);
  }
  return nvidia || !known;
}

}  // namespace

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
  bool emit = std::exchange(f.emit, false);
  for (std::size_t i = 1; i < t[call].count; ++i) {
    NodeId argument = t.child(call, i);
    if (t[argument].kind != NodeKind::keyword) continue;
    const Sink* sink = k_.sink(t[argument].name, false);
    bool vendors = t[argument].name == bound->vendors;
    if (!vendors && (sink == nullptr || !sink->is_bound())) continue;
    Lifted value = operand(t.child(argument, 0), f, mask);
    bool elsewhere = !l_.uniform(value) || (vendors && !speaks_of_nvidia(s_, l_.value(value)));   // or it follows the device
    if (elsewhere) {
      f.emit = emit;
      return;
    }
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
  f.emit = emit;
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
