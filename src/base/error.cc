#include "base/error.h"

#include <array>
#include <utility>

#include "base/text.h"

namespace ungate {
namespace {

struct Entry {
  ErrorCode code;
  std::string_view name;
  Exit exit;
  std::string_view hint;
};

// One line a code; the order is that of the enumeration (checked below).
constexpr std::array kCatalogue{
    Entry{ErrorCode::usage, "usage", Exit::usage, "run `ungate --help`"},
    Entry{ErrorCode::no_such_path, "no-such-path", Exit::usage,
          "name a site-packages folder, a virtual environment, a package folder or a file"},
    Entry{ErrorCode::unreadable, "unreadable", Exit::usage, "check the permissions of the path"},
    Entry{ErrorCode::nothing_to_audit, "nothing-to-audit", Exit::nothing,
          "point at a folder that holds Python packages, for example .venv or site-packages"},
    Entry{ErrorCode::unknown_target, "unknown-target", Exit::usage,
          "devices are written sm_120, 12.0 or 120; `ungate rules list archs` lists them"},
    Entry{ErrorCode::bad_rule, "bad-rule", Exit::usage, "correct the file, or drop --rules"},
    Entry{ErrorCode::bad_config, "bad-config", Exit::usage, ""},
    Entry{ErrorCode::tool_missing, "tool-missing", Exit::usage, "`ungate doctor` lists what is there"},
    Entry{ErrorCode::not_found, "not-found", Exit::usage, ""},
    Entry{ErrorCode::drift, "drift", Exit::drift, "`ungate status` shows each file"},
    Entry{ErrorCode::does_not_fit, "does-not-fit", Exit::drift, ""},
    Entry{ErrorCode::refused, "refused", Exit::drift, ""},
    Entry{ErrorCode::read_only, "read-only", Exit::drift,
          "`ungate plan --output FILE` writes the change as a patch to apply elsewhere"},
    Entry{ErrorCode::no_space, "no-space", Exit::drift, "free some room and run the command again"},
    Entry{ErrorCode::locked, "locked", Exit::drift, "wait for the other run to end"},
    Entry{ErrorCode::write_failed, "write-failed", Exit::drift, ""},
    Entry{ErrorCode::output_failed, "output-failed", Exit::usage, "-o FILE writes the result elsewhere"},
    Entry{ErrorCode::proof_failed, "proof-failed", Exit::proof, ""},
    Entry{ErrorCode::malformed, "malformed", Exit::usage,
          "the file is damaged or not what its name says; install it again"},
    Entry{ErrorCode::interrupted, "interrupted", Exit::interrupted, ""},
    Entry{ErrorCode::internal, "internal", Exit::usage, "please report this as a bug"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kCatalogue.size(); ++i) {
    if (static_cast<std::size_t>(kCatalogue[i].code) != i) return false;
  }
  return true;
}
static_assert(in_order());

const Entry& entry(ErrorCode code) { return kCatalogue[static_cast<std::size_t>(code)]; }

}  // namespace

std::string_view name_of(ErrorCode code) { return entry(code).name; }
std::string_view hint_of(ErrorCode code) { return entry(code).hint; }
Exit exit_of(ErrorCode code) { return entry(code).exit; }

std::string to_text(const Error& error) {
  std::string text;
  if (!error.where.empty()) text += text::escape(error.where) + ": ";
  text += text::escape(error.what);
  std::string_view next = error.next.empty() ? hint_of(error.code) : std::string_view(error.next);
  if (!next.empty()) text += "\n  next: " + text::escape(next);
  return text;
}

std::unexpected<Error> fail(ErrorCode code, std::string what, std::string where, std::string next) {
  return std::unexpected(Error{code, std::move(what), std::move(where), std::move(next)});
}

}  // namespace ungate
