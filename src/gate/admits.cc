#include "gate/admits.h"

#include <algorithm>

namespace ungate::gate {
namespace {

using arch::Device;
using arch::DeviceSet;
using python::Choice;
using python::Want;
using value::Outcome;

// One device's outcomes in terms of what is wanted.
struct Bits {
  bool wanted, opposite, open;
};

Bits bits(const Outcome& o, Want want, unsigned device) {
  bool t = o.may_true.has(device), f = o.may_false.has(device), u = o.may_unknown.has(device);
  return want == Want::no ? Bits{f, t, u} : Bits{t, f, u};
}

// The target is shut out where the other is not: it never gets what is wanted, or only if something free
// falls right, while the other gets it for certain.
bool closed(Bits target, Bits other) {
  if (target.wanted) return false;
  if (!target.opposite) return false;  // nothing but unknown: not decided here
  return target.open ? other.wanted : other.wanted || other.open;
}

// Devices that are let in while the target is not.
DeviceSet open_devices(const Outcome& o, Want want, Device target, DeviceSet among) {
  DeviceSet out;
  Bits mine = bits(o, want, target.index());
  for (unsigned d : among) {
    if (d != target.index() && closed(mine, bits(o, want, d))) out |= DeviceSet::of(d);
  }
  return out;
}

// `if cc < 9.0: the simple path`: what is open to every old device and to nothing newer excludes nobody.
bool is_old_path(DeviceSet open) {
  Device hopper = *arch::find_device(9, 0);
  if (open.empty()) return false;
  DeviceSet below;
  unsigned newest = 0;
  for (unsigned d : open) newest = d;
  for (unsigned d = 0; d <= newest; ++d) below |= DeviceSet::of(d);
  return newest < hopper.index() && open == below;
}

bool takes(const Outcome& o, Device d) {
  return o.may_true.has(d.index()) && !o.may_false.has(d.index()) && !o.may_unknown.has(d.index());
}

// Between two arms that both serve, only being sent elsewhere than the current data-centre devices matters.
bool elsewhere(const Outcome& o, Device target, DeviceSet among) {
  if (!o.may_false.has(target.index()) || o.may_true.has(target.index()) || o.may_unknown.has(target.index())) return false;
  for (unsigned d : among) {
    Device device(d);
    bool current = !device.is_future() && device.cc() >= 90 && device.cc() <= 110;
    if (current && (o.may_true | o.may_unknown).has(d)) return true;
  }
  return false;
}

}  // namespace

DeviceSet served(const Outcome& outcome, Want want) {
  return want == Want::no ? outcome.may_false | outcome.may_unknown : outcome.may_true | outcome.may_unknown;
}

Admission admission(const Choice& c, const python::Condition* condition, const python::Chain* chain, Device target) {
  Admission out;
  out.reached = c.alive.has(target.index());
  DeviceSet among = out.reached ? c.alive : arch::all_devices();
  auto yes = [&](const char* why) {
    out.admits = Admits::yes;
    out.because = why;
    return out;
  };

  if (chain != nullptr && out.reached && chain->arms.size() > 1) {
    bool any = false;
    for (std::size_t i = 0; i < chain->arms.size(); ++i) {
      const auto& arm = chain->arms[i];
      bool here = arm.alive.has(target.index()) && takes(arm.outcome, target);
      any = any || arm.outcome.may_true.has(target.index()) || arm.outcome.may_unknown.has(target.index());
      if (here && !arm.refuses && arm.outcome.differs(arm.alive) && i != c.arm) return yes("another arm of the chain serves it");
    }
    if (!any && chain->has_else && chain->else_refuses) {
      out.admits = Admits::no;
      out.because = "no arm of the chain takes it, and the last one refuses";
      return out;
    }
  }

  if (c.want == Want::either) {
    bool leaf = elsewhere(c.outcome, target, among);
    bool whole = condition != nullptr && out.reached && elsewhere(condition->outcome, target, condition->alive);
    if (!leaf && !whole) return yes("both arms serve, and it is not sent elsewhere than current devices");
    out.admits = Admits::no;
    out.because = "it takes the other of two arms that serve";
    return out;
  }

  Bits leaf = bits(c.outcome, c.want, target.index());
  if (leaf.wanted && !leaf.opposite && !leaf.open) return yes("the target passes it");
  if (condition != nullptr && out.reached && condition->alive.has(target.index())) {
    Bits whole = bits(condition->outcome, condition->want, target.index());
    if (whole.wanted) return yes("the whole condition admits it");
    if (whole.open && !whole.opposite) {
      out.admits = Admits::unknown;
      out.because = "another part of the condition may admit it";
      return out;
    }
  }
  DeviceSet open = open_devices(c.outcome, c.want, target, among);
  if (open.empty()) {
    Bits mine = bits(c.outcome, c.want, target.index());
    if (mine.open && !mine.wanted) out.admits = Admits::unknown;
    if (mine.wanted || mine.open || !mine.opposite) return out;
    return yes("no device is let in that it is not");
  }
  DeviceSet whole_open = open;
  if (condition != nullptr && out.reached) whole_open = open_devices(condition->outcome, condition->want, target, condition->alive);
  if (is_old_path(whole_open.empty() ? open : whole_open)) return yes("only old devices take this path");
  out.admits = Admits::no;
  return out;
}

}  // namespace ungate::gate
