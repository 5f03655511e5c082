// What the rules know of an environment: notes and parts speak of versions of a package, and some hold only
// where no installed file disproves them.
#pragma once

#include "audit/walk.h"
#include "gate/knowledge.h"
#include "package/environment.h"

namespace ungate::audit {

// `all` without the notes and parts of packages whose installed version they do not speak of (`versions`), and
// without those that an installed file disproves (`unless_files`, patterns of paths).
gate::Knowledge known_here(const gate::Knowledge& all, const package::Environment& environment, const Walk& walk);

}  // namespace ungate::audit
