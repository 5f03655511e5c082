// A gate: a place whose outcome differs between two devices, with the set it admits and what is known of it.
//
// These are the records that reports print, patch sets look for and scorers read; the field names of the
// machine formats are those of README.md ("The finding record").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/device.h"
#include "source/edit.h"

namespace ungate::gate {

// Does the gate let a device in? `unknown` names what decides.
enum class Admits : std::uint8_t { yes, no, unknown };

// What a device meets at the gate if it arrives there.
enum class Effect : std::uint8_t {
  none,             // it is admitted and served
  raises,           // an exception or assertion
  fails_build,      // the module does not compile for it
  empty_kernel,     // the kernel launches, succeeds and does nothing
  race,             // a wait that the launch relies on is compiled out
  slower,           // an optimisation is skipped
  silent_fallback,  // another path serves it, and nothing says so
  feature_off,      // something is switched off
  not_built,        // left out of an ahead-of-time build
  no_code,          // no code object loads
  wrong_limit,      // a resource limit is not that of the device
  definition,       // a helper or flag; the effects are at its uses
  unreachable       // nothing leads there
};

enum class Verdict : std::uint8_t {
  none,             // nothing to judge
  policy,           // nothing but the gate is in the way
  capability,       // what is behind it cannot run there
  over_admission,   // it lets the device in and should not
  unknown           // not everything was read, or evidence conflicts
};

std::string_view name_of(Admits a);
std::string_view name_of(Effect e);
std::string_view name_of(Verdict v);

// What a judgement rests on.
struct Evidence {
  std::string what;   // one sentence
  std::string where;  // path:line, or a link
};

// An edit of one file, as the plan would make it.
struct LiftEdit {
  std::string path;             // relative to its import root
  std::uint32_t site = 0;
  source::Edit edit;
  source::Position at;
};

// The smallest edit after which the gate admits the target.
struct Lift {
  std::vector<LiftEdit> edits;
  std::vector<std::string> needs;   // ids of gates that must be lifted with it
  arch::DeviceSet also_admits;      // devices that come along
  std::vector<std::string> modules; // JIT modules that are built from the edited text
  std::string refused;              // why there is no edit, when `edits` is empty
};

// How a gate stands to one device.
struct Standing {
  arch::Device device{0};
  Admits admits = Admits::unknown;
  Effect effect = Effect::none;
  Verdict verdict = Verdict::none;
  bool alone = true;                    // false: policy, but not to be lifted without its needs
  std::vector<std::string> behind;      // ids of gates that stop the device earlier
  std::vector<Evidence> evidence;
  std::vector<std::string> unknown_because;
  std::optional<Lift> lift;
};

struct Gate {
  std::string id;
  std::uint32_t site = 0;           // index of the import root
  std::string path;                 // relative to it
  source::Range range;
  source::Position begin, end;
  std::string package, version;     // of the distribution that owns the file; may be empty
  std::string form;                 // "py-major-list", "pp-arch-range", …
  std::string expression;           // source text, one line, at most 200 characters
  std::string enclosing;            // qualified name of the function or class around it
  arch::DeviceSet admitted;         // devices it lets in, for some value of what is free
  std::vector<std::string> conditions;  // what else decides, by name
  std::string guards;               // what it encloses or leads to, in words
  std::string group, chain;         // ids, or empty
  std::string follows;              // the group whose answer it asks for from another module: opened with it
  std::vector<Evidence> path_to;    // helpers and flags it uses, nearest first
  std::vector<Standing> standings;  // one a target
};

}  // namespace ungate::gate
