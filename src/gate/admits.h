// Does a choice let a device in? Decided on the outcomes of all devices, the whole condition and its chain.
#pragma once

#include "gate/gate.h"
#include "python/choice.h"

namespace ungate::gate {

struct Admission {
  Admits admits = Admits::yes;
  bool reached = true;              // the device reaches the place at all
  bool exception = false;           // its arm takes it out of what all other devices get
  std::string because;              // what settled it, in words
  std::uint32_t served_by = python::kNoIndex;  // the arm of the chain that serves it in place of this one
};

// `condition` and `chain` are those of the choice, or null.
Admission admission(const python::Choice& choice, const python::Condition* condition, const python::Chain* chain,
                    arch::Device target);

// The devices for which the outcome that serves is possible.
arch::DeviceSet served(const value::Outcome& outcome, python::Want want);

}  // namespace ungate::gate
