// Which text a compiler sees, on every code target: evaluates the conditionals of a file alone, or
// of a whole unit with the headers it includes.
//
// Nothing is read from disk here: files come from a loader. A macro that nothing in the walked text
// defines is *free* unless the world says otherwise (predefined.h has what follows from nvcc, a
// toolkit version and a platform) or the caller's `Absent`; outcomes that hang on it are unknown
// and name it. Definitions take effect in order, under the condition of the arm that holds them;
// #include, include guards and #pragma once work as in a compiler.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/directives.h"
#include "cuda/outcome.h"
#include "cuda/predefined.h"
#include "value/free.h"

namespace ungate::cuda {

// A file as the walk needs it. Both must stay where they are as long as the Preprocessor lives.
struct FileText {
  std::string_view text;
  const Directives* directives = nullptr;
};

// Gives the file at a path, or nothing. Asked once for each path; paths are lexically normal
// ("a/b.h").
using Loader = std::function<std::optional<FileText>(const std::string& path)>;

struct Place {
  Symbol file;
  source::Range range;
  bool operator==(const Place&) const = default;
};

// A macro that a condition names and the walked text defines.
struct MacroUse {
  Symbol name;
  std::vector<Place> definitions;  // the #define directives that can hold there
  bool operator==(const MacroUse&) const = default;
};

// What is known of an arm, over all contexts in which it was reached.
struct ArmResult {
  // Its own condition, as if the text around it were compiled; of an #else: that no arm before it
  // was taken. kNever: the arm was never reached.
  Outcomes condition = Outcomes(Outcome{});
  // Its text is compiled.
  Outcomes live = Outcomes(Outcome{});
  // Where the text around it may be compiled and no arm before it is taken for certain. If there is
  // such a context, `condition` speaks of these contexts only.
  arch::CodeTargetSet reached;
  // If the condition differs between code targets: the outcome of each leaf of parse_condition, and
  // the macros it names.
  std::vector<Outcomes> leaves;
  std::vector<MacroUse> macros;
};

struct FileResult {
  Outcomes live = Outcomes(Outcome{});  // of the text outside of all arms
  std::vector<ArmResult> arms;          // as Directives::arms
  std::vector<Problem> problems;        // conditions that are no expressions
};

// Liveness of the text of an arm; kNone: of the file.
const Outcomes& live_in(const FileResult& result, std::uint32_t arm);

struct Unit {
  std::string path;                        // the main source
  std::vector<std::string> include_paths;  // in the order of -I
  std::vector<std::string> macros;         // as after -D: "NAME", "NAME=BODY", "NAME(x)=BODY"
};

struct MissingInclude {
  std::string name;  // as spelled; a computed include: its text
  bool angled = false;
  Place where;  // the first one met
};

struct UnitResult {
  std::vector<std::string>
      files;  // what was walked, in order of first visit; the unit's source first
  std::vector<MissingInclude> missing;  // one for each name
  std::vector<std::uint32_t> visits;    // of the walk: for Preprocessor::result
};

// Walks units and keeps what it learned: a header that is met again under the same macros costs
// nothing, in whichever unit. Not for use by two threads at once.
class Preprocessor {
 public:
  // `world` must outlive the Preprocessor and not change.
  Preprocessor(const value::World& world, Pass pass, Loader loader, Absent absent = nullptr);
  ~Preprocessor();
  Preprocessor(Preprocessor&&) noexcept;
  Preprocessor& operator=(Preprocessor&&) noexcept;

  // Nothing if the loader does not have the unit's own file.
  std::optional<UnitResult> walk(const Unit& unit);
  // What is known of a file after the walks so far, all units together; null if none reached it.
  const FileResult* result(std::string_view path) const;
  // The same for some of the visits: those of one unit, or of several (ascending).
  const FileResult* result(std::string_view path, const std::vector<std::uint32_t>& visits) const;

 private:
  class Walk;
  std::unique_ptr<Walk> walk_;
};

// One file alone: every include is missing.
FileResult evaluate_file(FileText file, const value::World& world, Pass pass = Pass::device);

}  // namespace ungate::cuda
