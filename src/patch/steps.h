// A seam for tests: every operation of this house that changes the disk asks here first.
//
// The environment variable UNGATE_TEST_KILL_AT=k makes the process kill itself (SIGKILL) just
// before its k-th such operation, counted from 1. A hook can do the same from inside a test, or
// make the operation fail. The engine writes from one thread only.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace ungate::patch {

// Gets what is about to happen ("write", "rename", "sync", …) and to which path; returns 0 to let
// it happen, or the errno that it shall fail with.
using StepHook = std::function<int(std::string_view what, const std::string& path)>;

void set_step_hook(StepHook hook);  // an empty hook removes it

// True if the operation may happen; else errno says why not.
bool step(std::string_view what, const std::string& path);

}  // namespace ungate::patch
