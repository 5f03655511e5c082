// Whether edits do what they are meant to, and nothing else: the gates of an audit of the edited
// texts against those of the audit before.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gate/gate.h"
#include "patch/resolve.h"

namespace ungate::patch {

struct LiftProblem {
  std::string what;   // one sentence
  std::string where;  // path:line in the edited text (or the old one, if the gate is gone)
};

struct LiftCheck {
  bool checked = false;       // false: nothing was to be written, so nothing was audited again
  std::size_t opened = 0;     // gates that were to be opened, and are
  std::size_t unchanged = 0;  // gates that say what they said
  // Gates that let the devices in because an opened one does: uses of a flag or helper.
  std::vector<std::string> followed;  // path:line
  std::vector<LiftProblem> problems;
  bool ok() const { return problems.empty(); }
};

// What an audit says of files that it could not read or understand, by path.
using Unreadable = std::vector<std::pair<std::string, std::string>>;

// Asks of every gate to be opened: it lets in all devices it is to admit, no device is lost, and
// none is added beyond those. Of every other gate: it admits what it admitted, unless it is tied to
// an opened one (their group) and lets in the same devices. Of gates that are new: they stand in
// text that the edits brought, and let the devices in, or keep the condition of a block that was
// split. And no file has become unreadable.
LiftCheck check_lift(const std::vector<gate::Gate>& before, const std::vector<gate::Gate>& after,
                     const std::vector<Opening>& openings, const std::vector<PlannedEdit>& edits,
                     const Unreadable& unread_before, const Unreadable& unread_after);

}  // namespace ungate::patch
