// Patch sets: named, versioned bundles of lifts and other edits, as data. patches/README.md has the
// file format; the rules house reads it into these types.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "package/specifier.h"

namespace ungate::patch {

// Replaces a text that occurs once in its file. `with` is never empty and differs from `replace`,
// so that an edit can be recognised once it is made.
struct TextEdit {
  std::string path;  // relative to its import root
  std::string replace, with;
  bool operator==(const TextEdit&) const = default;
};

// Which gate a step is about: by form and place, never by line.
struct GatePattern {
  std::string path;                // relative to its import root
  std::vector<std::string> forms;  // any of them; none: whatever the form
  std::string function;            // around it: its name, or its qualified name; empty: any
  std::string expression;          // a part of its text; empty: any
  // A text that occurs once in the file. Of several gates that fit, the last one before it is
  // meant: the condition of the block that it stands in.
  std::string before;
  bool operator==(const GatePattern&) const = default;
};

// What a step wants. With a gate and no edits, the gate's own lift is the edit; with both, the
// edits say how this gate is to be opened, and the gate says whether that is still needed.
struct Step {
  std::string id;    // unique in its set
  std::string what;  // why it is needed; may be empty
  std::optional<GatePattern> gate;
  bool every = false;     // of the gates that fit, all are meant (at least one)
  bool splits = false;    // the edits keep the gate's condition for a part of what it guarded
  arch::DeviceSet admit;  // the devices that the gate is to let in
  std::vector<TextEdit> edits;
  std::string
      superseded_by;  // a text in the first edit's file that says upstream has it; may be empty
  std::string where;  // file:line:column, for messages
};

struct Member {
  std::string name;
  std::string package;  // normalised
  package::SpecifierSet versions;
  bool by_default = true;
  std::string reason;  // why it is off by default
  std::string what;
  std::vector<std::string> needs;  // members without which it is not written
  std::vector<Step> steps;         // in write order
};

struct PatchSet {
  std::string id;       // "flashinfer-python/allreduce-sm12x"
  std::string title;    // one line
  std::string what;     // paragraphs
  std::string package;  // normalised; of the members that name no other
  std::string source;   // a link to what it rests on
  arch::DeviceSet targets;
  std::vector<std::string> modules;   // JIT modules that are built from what it edits
  std::vector<std::string> unproved;  // sentences: what nobody has measured
  std::vector<Member> members;        // in write order
  std::string file;                   // where it was read

  const Member* find(std::string_view member) const;
};

}  // namespace ungate::patch
