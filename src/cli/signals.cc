#include "cli/signals.h"

#include <signal.h>

namespace ungate::cli {
namespace {

std::atomic<bool> asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // it is written by a signal handler

void ask(int number) {
  asked = true;
  signal(number, SIG_DFL);
}

}  // namespace

void handle_signals() {
  sigset_t handled;
  sigemptyset(&handled);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    // What nohup or a background shell ignores stays ignored.
    if (sigaction(number, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = ask;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, nullptr);
    sigaddset(&handled, number);
  }
  // A parent may have left them blocked; nothing would be seen of a Ctrl-C.
  sigprocmask(SIG_UNBLOCK, &handled, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

const std::atomic<bool>& interrupted() {
  return asked;
}

}  // namespace ungate::cli
