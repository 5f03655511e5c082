// Lists of devices handed to a keyword or a decorator: supported_major_versions=[9, 10].
#include "arch/load.h"
#include "base/text.h"
#include "python/interpreter.h"

namespace ungate::python {

// The devices that a list names; nothing when it names none or is not known.
std::optional<DeviceSet> Interpreter::listed_devices(ValueId list, Sink::Lists kind) {
  if (!value::is_container(s_.kind(list)) || s_.node(list).open) return std::nullopt;
  DeviceSet out;
  bool any = false;
  for (ValueId item : s_.items(list)) {
    if (s_.kind(item) == Kind::string && kind == Sink::Lists::gencode) {
      any |= gencode_devices(s_.text(item), out);
    } else if (s_.kind(item) == Kind::string && kind != Sink::Lists::majors) {
      if (auto device = arch::parse_device(s_.text(item))) out |= DeviceSet::of(device->index()), any = true;
    } else if (s_.kind(item) == Kind::integer) {
      std::int64_t n = s_.node(item).number;
      for (unsigned d : arch::known_devices()) {
        bool same = kind == Sink::Lists::majors ? arch::Device(d).major() == n : arch::Device(d).cc() == n;
        if (same) out |= DeviceSet::of(d), any = true;
      }
    }
  }
  return any ? std::optional(out) : std::nullopt;
}

// What an argument is; choices in it are recorded where the call itself is evaluated.
Lifted Interpreter::unrecorded(NodeId id, Frame& f, DeviceSet mask) {
  bool emit = std::exchange(f.emit, false);
  Lifted value = operand(id, f, mask);
  f.emit = emit;
  return value;
}

// `with override_arch(9, 0, "a"): build()`: what is built loads on devices of that version only.
void Interpreter::record_fixed(NodeId call, const Sink& sink, Frame& f, DeviceSet mask) {
  const Tree& t = *f.tree;
  std::int64_t version[2] = {0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    if (t[call].count < i + 2 || t[t.child(call, i + 1)].kind == NodeKind::keyword) return;
    Lifted value = unrecorded(t.child(call, i + 1), f, mask);
    if (!l_.uniform(value) || s_.kind(l_.value(value)) != Kind::integer) return;   // it follows the device
    version[i] = s_.node(l_.value(value)).number;
  }
  DeviceSet refused;
  for (unsigned d : mask) {
    arch::Device device(d);
    if (device.is_future() || device.cc() != version[0] * 10 + version[1]) refused |= DeviceSet::of(d);
  }
  if (refused != mask) record_sink(call, sink, refused, f, mask);
}

void Interpreter::record_sinks(NodeId call, Lifted result, Frame& f, DeviceSet mask) {
  if (!f.emit) return;
  const Tree& t = *f.tree;
  if (const Sink* sink = k_.sink(t[t.child(call, 0)].name, false); sink != nullptr && sink->lists == Sink::Lists::one) {
    return record_fixed(call, *sink, f, mask);
  }
  for (std::size_t i = 1; i < t[call].count; ++i) {
    NodeId argument = t.child(call, i);
    if (t[argument].kind != NodeKind::keyword) continue;
    const Sink* sink = k_.sink(t[argument].name, false);
    if (sink == nullptr || sink->lists == Sink::Lists::one) continue;
    if (sink->is_bound()) {
      record_requirement(call, f, mask, {});
      return;
    }
    if (sink->lists == Sink::Lists::gencode) {
      record_gencode(t.child(argument, 0), *sink, f, mask);
      continue;
    }
    Lifted list = unrecorded(t.child(argument, 0), f, mask);
    DeviceSet refused = l_.absent(result) & mask;
    if (!l_.uniform(list)) continue;  // the list follows the device already
    if (refused.empty() || refused == mask) {
      // The callee does not say (it was not read, or refuses elsewhere): the list does.
      auto listed = listed_devices(l_.value(list), sink->lists);
      if (!listed || listed->contains(mask)) continue;
      refused = mask - *listed;
    }
    record_sink(argument, *sink, refused, f, mask);
    Choice& c = choice_at(argument, f);
    l_.each(result, [&](DeviceSet where, ValueId v) {
      if ((where & refused).empty() || !s_.is_absent(v) || s_.node(v).ref == 0) return;
      c.raise_type = Symbol::from_id(s_.node(v).ref);
      c.raise_text = s_.node(v).name;
    });
  }
}

void Interpreter::record_decorators(const Function& fn) {
  Frame f = definition_frame(fn);
  f.emit = true;
  for (std::size_t i = 3; !fn.is_lambda() && i < (*fn.tree)[fn.node].count; ++i) {
    record_requirements(fn.tree->child(fn.node, i), f, fn.qualname);
    record_decorator(fn.tree->child(fn.node, i), fn.qualname, f);
  }
}

// The gate is told as one of the function that it stands on.
void Interpreter::record_decorator(NodeId decorator, Symbol decorated, Frame& f) {
  const Tree& t = *f.tree;
  if (!f.emit || t[decorator].kind != NodeKind::call || t[decorator].count < 2) return;
  const Sink* sink = k_.sink(t[t.child(decorator, 0)].name, true);
  if (sink == nullptr) return;
  NodeId argument = t.child(decorator, 1);
  Lifted list = operand(argument, f, value::Values::all());
  if (!l_.uniform(list)) return;
  auto listed = listed_devices(l_.value(list), sink->lists);
  if (!listed) return;
  DeviceSet all = value::Values::all();
  record_sink(decorator, *sink, all - *listed, f, all);
  choice_at(decorator, f).function = decorated;
}

void Interpreter::record_sink(NodeId at, const Sink& sink, DeviceSet refused, Frame& f, DeviceSet mask) {
  Choice& c = choice_at(at, f);
  c.kind = Choice::Kind::sink;
  c.sink = &sink;
  c.position = Choice::Position::condition;
  c.outcome |= Outcome{mask - refused, refused & mask, {}};
  c.alive |= mask;
  c.refusal = Refusal::raises;
  if (c.via.empty() && f.via != nullptr) c.via = *f.via;
}

}  // namespace ungate::python
