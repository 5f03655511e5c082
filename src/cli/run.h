// The program: parse the command line, run one command, turn what comes back into text and an exit
// status.
#pragma once

namespace ungate::cli {

// Returns the exit status (base/error.h has the list). An Error goes to stderr as a sentence; if
// JSON was asked for it is also written as the document {"schema", "version", "tool", "errors"},
// so that what a script reads is one JSON document always.
int run(int argc, char** argv);

}  // namespace ungate::cli
