// What an analysis works on: a gate with where it comes from and how it is tied to others (internal).
#pragma once

#include <set>
#include <vector>

#include "gate/admits.h"
#include "gate/gate.h"
#include "cuda/host.h"
#include "gate/modules.h"

namespace ungate::gate {

using ItemId = std::size_t;
inline constexpr std::size_t kNoItem = ~std::size_t{0};

struct Item {
  Gate gate;

  // A Python place: one choice, or the operands of one `or` as one choice.
  std::vector<std::uint32_t> choices;
  python::Choice choice;
  bool is_python() const { return !choices.empty(); }

  // A place in host code of C++, or the name of compiled code there: `choice` without syntax.
  struct Host {
    cuda::HostChoice::Kind kind = cuda::HostChoice::Kind::compare;
    source::Range serves;            // the arm that the wanted outcome enters
    std::optional<arch::CodeTarget> code;   // of the name of compiled code
  };
  std::optional<Host> host;
  bool is_host() const { return host.has_value(); }
  bool is_guard() const { return choices.empty() && !host; }

  // A preprocessor condition.
  std::uint32_t arm = cuda::kNone;
  cuda::Guard guard;
  cuda::Outcomes outcomes;          // of its condition, per code target
  std::size_t ordinal = 0;          // among the arms of its function that have its text
  arch::DeviceSet served_elsewhere;  // by another arm of the chain

  source::Range served;             // the text that the outcome which serves leads into

  // Ties. `reaches`: modules that the gate leads to; `holds`: modules whose builder or units hold it.
  std::set<std::size_t> reaches, holds;
  bool forwards = false;            // `reaches` was found from the gate on, not from a module that is shut
  std::set<ItemId> needs;           // must be lifted with it
  std::set<ItemId> uses;            // flags and helpers whose gates it repeats
  bool asks_elsewhere = false;      // all of `uses` stand in other modules: it is opened there, nothing is lifted here
  std::set<ItemId> answered_by;     // the refusals of the helper that it calls
  // Those of `uses` that are the same decision: one group. An edit here does not need them, for it brings
  // a term of its own, and an edit there opens this place, too.
  std::set<ItemId> repeats;
  std::set<ItemId> before;          // gates that stop a device earlier
  std::vector<Evidence> path;       // from it to what it leads to
  std::set<std::size_t> native;     // native libraries that it guards, see native.h
  std::vector<Evidence> native_path;

  // One a target, in the order of the targets.
  std::vector<Admission> admissions;
};

}  // namespace ungate::gate
