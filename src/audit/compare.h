// Two audits side by side: which gates were opened, closed, added, removed, and which code objects
// came and went.
//
// A gate is the same in both if its id is; else if it stands in the same function of the same file and
// is of the same form, else in the same function only and its text is alike. What is left over was
// added or removed.
#pragma once

#include <string>
#include <vector>

#include "audit/saved.h"

namespace ungate::audit {

enum class Change : std::uint8_t {
  opened,   // shut out in A, let in by B
  closed,   // let in by A, shut out in B
  added,    // B shuts the target out where A has nothing
  removed,  // A shuts the target out where B has nothing
  changed   // what decides, the effect or the verdict is another one
};
std::string_view name_of(Change change);

struct Difference {
  Change change = Change::changed;
  const Record* before = nullptr;  // null: added
  const Record* after = nullptr;   // null: removed
  const Record& record() const { return after != nullptr ? *after : *before; }
};

// The code objects of a binary (or of a folder of cubins).
struct CodeDifference {
  std::string path, target;
  std::vector<std::string> added, dropped;  // "sm_120", "PTX sm_90"
  std::string before, after;                // what the target gets: admits, "-" where there is no such file
};

struct Comparison {
  std::vector<Difference> gates;     // by change, path, line; never of binaries
  std::vector<CodeDifference> code;  // by path
  // Gates that shut the target out or may, in both alike.
  std::size_t alike = 0;
};

// For one target. The records must outlive what is returned.
Comparison compare(const Records& a, const Records& b, const std::string& target);

// Whether the target fares worse with B: something closed, a gate added, code dropped that it used.
bool is_worse(const Comparison& comparison);

}  // namespace ungate::audit
