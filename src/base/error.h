// Errors: one catalogue, one type, one alias for results.
//
// Library code never prints and never throws across a module: it returns Result<T>. An Error says
// what happened, where, and what to do next; its code decides the exit status. The command line is
// the only place that turns an Error into text.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace ungate {

// The exit statuses of every command (documented in README.md; scripts rely on them).
enum class Exit : int {
  ok = 0,           // clean, or done
  findings = 1,     // findings, or a plan that is not empty
  usage = 2,        // usage, configuration, a named path that cannot be read, a missing tool, internal
  drift = 3,        // files are not as recorded, a patch that does not fit, a refused write
  proof = 4,        // a proof or a kernel validation failed
  nothing = 5,      // nothing to audit
  interrupted = 130
};

enum class ErrorCode {
  usage,            // the command line does not make sense
  no_such_path,     // a path that was named does not exist
  unreadable,       // a path that was named cannot be read
  nothing_to_audit, // no package found where the user pointed
  unknown_target,   // not a device that exists
  bad_rule,         // a rule or patch file is wrong; `where` is file:line:column
  bad_config,       // a configuration or state file is wrong
  tool_missing,     // a program or library that this command needs is not there
  not_found,        // an id, run or file:line that names nothing
  drift,            // a file is neither pristine nor as it was written
  does_not_fit,     // an edit's anchor is gone or ambiguous
  refused,          // a write that would be unsafe (needs missing, symlinked package, git checkout)
  read_only,        // the environment cannot be written
  no_space,         // the disk is full
  locked,           // another run holds the environment
  write_failed,     // any other failed write
  output_failed,    // the result of a command could not be written
  proof_failed,     // the compiler disagreed
  malformed,        // a binary or an archive contradicts itself
  interrupted,      // Ctrl-C
  internal          // a bug
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string what;   // one sentence, without a final full stop
  std::string where;  // path, path:line or path:line:column; may be empty
  std::string next;   // what to do; empty: the catalogue's hint is shown
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

// A short stable name for a code, as printed and as written to JSON ("no-such-path").
std::string_view name_of(ErrorCode code);
// The catalogue's advice for a code; may be empty.
std::string_view hint_of(ErrorCode code);
Exit exit_of(ErrorCode code);

// "where: what" and, on a second line, what to do next. Text is escaped for a terminal.
std::string to_text(const Error& error);

std::unexpected<Error> fail(ErrorCode code, std::string what, std::string where = {},
                            std::string next = {});

}  // namespace ungate
