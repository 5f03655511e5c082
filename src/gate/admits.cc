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

// Devices that something decides for which has no say on the target: there it can fall right, where the
// target is settled.
DeviceSet open_by_more(const Choice& c, Device target, DeviceSet among) {
  Bits mine = bits(c.outcome, c.want, target.index());
  if (mine.wanted || !mine.opposite) return {};
  DeviceSet more;
  for (const Choice::Decider& d : c.deciders) {
    if (!d.where.has(target.index())) more |= d.where;
  }
  return more & c.outcome.may_unknown & among;
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

// The data-centre devices that packages are written for.
DeviceSet current_devices() {
  DeviceSet out;
  for (unsigned d : arch::known_devices()) {
    if (Device(d).cc() >= 90 && Device(d).cc() <= 110) out |= DeviceSet::of(d);
  }
  return out;
}

// Between two arms that both serve, only being sent elsewhere than those matters.
bool elsewhere(const Outcome& o, Device target, DeviceSet among) {
  Bits mine = bits(o, Want::yes, target.index());
  for (unsigned d : among & current_devices()) {
    if (closed(mine, bits(o, Want::yes, d))) return true;
  }
  return false;
}

// `supported = trtllm_supports(…)` in one arm, `supported = kernel.supports(…)` in another: for every device the flag
// may hold what a call answered that was not followed, or what somebody asked for.
bool answered_elsewhere(const Choice& c, Bits leaf) {
  bool derived = c.tree != nullptr && (c.kind == Choice::Kind::flag || c.kind == Choice::Kind::call);
  if (!derived || !leaf.open || leaf.wanted || c.deciders.empty()) return false;
  return std::ranges::all_of(c.deciders, [&](const Choice::Decider& d) { return d.where.contains(c.alive); });
}

// `if is_sm120(): x = slow / elif …: x = fast / else: x = fast`: the arm that the target takes gives something
// else than all others, which give the same.
bool is_exception(const Choice& c, const python::Chain& chain, Device target) {
  if (chain.arms.size() < 2 || !chain.has_else || c.arm >= chain.arms.size()) return false;
  const python::Chain::Arm& mine = chain.arms[c.arm];
  if (!takes(mine.outcome, target) || mine.gives.empty() || chain.else_gives.empty()) return false;
  if (!(mine.outcome.may_pass() & current_devices()).empty()) return false;
  for (std::size_t i = 0; i < chain.arms.size(); ++i) {
    if (i != c.arm && chain.arms[i].gives != chain.else_gives) return false;
  }
  auto what = [](std::string_view text) { return text.substr(0, text.find_first_of("= ")); };  // a name, or `return`
  return mine.gives != chain.else_gives && what(mine.gives.text()) == what(chain.else_gives.text());
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
      if (here && !arm.refuses && arm.outcome.differs(arm.alive) && i != c.arm) {
        out.served_by = static_cast<std::uint32_t>(i);
        return yes("another arm of the chain serves it");
      }
    }
    if (!any && chain->has_else && chain->else_refuses) {
      out.admits = Admits::no;
      out.because = "no arm of the chain takes it, and the last one refuses";
      return out;
    }
  }

  if (chain != nullptr && out.reached && is_exception(c, *chain, target)) {
    out.admits = Admits::no;
    out.exception = true;
    out.because = "this arm takes it out of what all other devices get";
    return out;
  }

  if (c.want == Want::either) {
    bool leaf = elsewhere(c.negated ? c.outcome.negated() : c.outcome, target, among);
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
    // `if backend == "x" and is_new(): raise`: that the device gets another backend unasked does not let it have x.
    bool refused_on_request = c.refusal == python::Refusal::raises && whole.wanted && whole.open && leaf.opposite && !leaf.wanted && !leaf.open;
    if (whole.wanted && !refused_on_request) return yes("the whole condition admits it");
    if (whole.open && !whole.opposite && !refused_on_request) {
      out.admits = Admits::unknown;
      out.because = "another part of the condition may admit it";
      return out;
    }
  }
  if (answered_elsewhere(c, leaf)) {
    out.admits = Admits::unknown;
    out.because = "another call or a setting may have set it";
    return out;
  }
  DeviceSet open = open_devices(c.outcome, c.want, target, among) | open_by_more(c, target, among);
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
