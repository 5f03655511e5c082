// A proof: what the compiler says of edited units, for the target and for every other device.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "prove/build.h"

namespace ungate::prove {

// What the sources say of a kernel, by its name without namespaces and template arguments.
struct KernelSource {
  std::string name;
  std::string programmatic;   // place of a launch with the programmatic attribute; empty: there is none
  std::string condition;      // it is set at run time, by this; empty: always
  bool waits = false;         // a wait stands in it, or in what it calls
  // What its launches ask for besides its static shared memory: their source text, and how many bytes
  // that is where it is a number.
  struct Dynamic {
    std::string text, where;
    std::optional<std::uint64_t> bytes;
    bool operator==(const Dynamic&) const = default;
  };
  std::vector<Dynamic> dynamic;
};

// A condition that takes away from a kernel for the target.
struct Guard {
  std::string kernel;      // as KernelSource::name
  std::string where;       // path:line
  std::string expression;
};

// What is to be proved of one unit.
struct Work {
  Unit unit;
  std::vector<arch::CodeTarget> targets;  // it must compile for these, and be whole
  std::vector<arch::CodeTarget> others;   // its code for these must stay what it was
  std::optional<arch::CodeTarget> reference;  // a code target for which it is known to be whole
  bool changed = true;                    // an edit reaches it; else it is only newly built for the targets
};

struct Problem {
  // "fails-build", "missing-header", "empty-kernel", "traps", "missing-wait", "shared-memory", "cluster", "changed-code",
  // "unknown-target"
  std::string kind;
  std::string what;    // one sentence
  std::string where;   // path:line; may be empty
  std::string kernel;  // without template arguments; may be empty
  std::size_t count = 1;  // kernels of that name that have it
};

struct TargetProof {
  arch::CodeTarget target{0};
  std::optional<Build> before;     // the original; nothing with --quick
  std::optional<Build> after;      // nothing: the compiler does not know the target
  std::optional<arch::CodeTarget> reference;  // was compiled too, to compare what is empty
  std::vector<Problem> problems;
  std::vector<std::string> notes;  // what is worth knowing and no failure
  std::size_t waits = 0, launched_programmatic = 0;  // kernels by name that have a wait; that need one
};

struct OtherProof {
  arch::CodeTarget target{0};
  bool known = true;               // the compiler knows the target
  Unchanged unchanged;
  std::vector<Problem> problems;
};

struct UnitProof {
  Unit unit;
  std::vector<TargetProof> targets;
  std::vector<OtherProof> others;
  bool ok() const;
};

struct Proof {
  std::string compiler;            // "nvcc 13.0.88"
  std::string compiler_path, compiler_found_by;
  std::vector<UnitProof> units;
  std::vector<std::string> not_proved;  // sentences: what could not be asked
  double seconds = 0;              // of the wall clock, now
  double cpu_seconds = 0;          // of the compilers, now
  bool ok() const;
  std::size_t problem_count() const;
};

struct Job {
  const Tree* before = nullptr;
  const Tree* after = nullptr;
  std::vector<Work> work;
  std::vector<KernelSource> kernels;  // of all units together
  std::vector<Guard> guards;
  std::vector<std::pair<std::string, std::string>> wheels;  // how a header's name begins, and the distribution that has it
  bool originals = true;              // compile the originals for the target, too
  arch::DeviceSet along;              // devices among the targets that only come along with an edit
  unsigned threads = 0;
  // Called when a compilation begins, from any thread: "trtllm_allreduce.cu for sm_120a", how many are
  // done, how many there are.
  std::function<void(const std::string& what, std::size_t done, std::size_t of)> progress;
};

// Errors: `interrupted`, `tool_missing`, `not_found`. That a proof fails is no error.
Result<Proof> prove(Workshop& workshop, const Job& job);

}  // namespace ungate::prove
