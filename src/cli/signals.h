// Ctrl-C asks a command to stop where it is safe; a second one ends the process at once.
#pragma once

#include <atomic>

namespace ungate::cli {

// SIGINT, SIGTERM and SIGHUP set the flag; SIGPIPE is ignored (writes fail with EPIPE instead).
void handle_signals();
const std::atomic<bool>& interrupted();

}  // namespace ungate::cli
