#include "patch/steps.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/text.h"

namespace ungate::patch {
namespace {

StepHook& hook() {
  static StepHook the_hook;
  return the_hook;
}

// 0: not asked for.
std::int64_t kill_at() {
  const char* value = getenv("UNGATE_TEST_KILL_AT");
  std::int64_t k = 0;
  return value != nullptr && text::parse_int(value, k) ? k : 0;
}

}  // namespace

void set_step_hook(StepHook new_hook) { hook() = std::move(new_hook); }

bool step(std::string_view what, const std::string& path) {
  static std::int64_t count = 0;
  if (std::int64_t last = kill_at(); last > 0 && ++count == last) kill(getpid(), SIGKILL);
  if (!hook()) return true;
  errno = hook()(what, path);
  return errno == 0;
}

}  // namespace ungate::patch
