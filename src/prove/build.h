// One unit compiled for one code target, down to its kernels.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "prove/compiler.h"
#include "prove/kernel.h"
#include "prove/preprocessed.h"
#include "prove/process.h"
#include "prove/ptx.h"
#include "prove/store.h"
#include "prove/tree.h"
#include "prove/unit.h"

namespace ungate::prove {

// Why it did not compile.
struct Failure {
  std::string program;      // "nvcc", "ptxas"
  std::string message;      // its first error, one line
  std::string where;        // of the source: "path:line"; empty: not known
  std::string kernel;       // mangled; empty: not known
  std::string instruction;  // that ptxas refused
  std::string feature;      // that the target lacks; empty: not known
  bool operator==(const Failure&) const = default;
};

struct Build {
  bool compiled = false;
  bool assembled = false;            // machine code was made, too
  Failure failure;                   // if not compiled
  std::vector<KernelFacts> kernels;  // by name
  double seconds = 0, cpu_seconds = 0;  // what it took when it was made
  bool kept = false;                 // it was not made now

  const KernelFacts* find(std::string_view name) const;
};

// How far two texts of a unit are the same for a code target.
enum class Same {
  tokens,       // the compiler sees the same text
  device_text,  // the same but for functions of the host
  ptx,          // every kernel has the same PTX
  code,         // every kernel has the same machine code
  no            // some kernel differs, is new or is gone; or one of both does not compile
};
std::string_view name_of(Same same);

struct Unchanged {
  Same same = Same::no;
  std::vector<std::string> host;              // host functions that differ: "name (path:line)"
  std::string where;                          // the first difference that device code could see
  std::vector<std::string> changed, added, removed;  // kernels, mangled
  std::string failure;                        // one of both does not compile: why
  double seconds = 0, cpu_seconds = 0;
  bool kept = false;
};

// Compiles and compares, and keeps what came of it. May be used by several threads.
class Workshop {
 public:
  // `scratch` must stay; everything else is kept by value.
  Workshop(Compiler compiler, std::string cache, std::vector<FeatureWords> features, std::string scratch,
           const std::atomic<bool>* cancelled)
      : compiler_(std::move(compiler)), store_(std::move(cache)), features_(std::move(features)),
        scratch_(std::move(scratch)), cancelled_(cancelled) {}

  // `assemble`: with machine code. That the unit does not compile is no error of this call; errors are
  // that it cannot be asked (`interrupted`, `tool_missing`, `not_found`).
  Result<Build> build(const Unit& unit, const Tree& tree, arch::CodeTarget target, bool assemble);
  Result<Unchanged> compare(const Unit& unit, const Tree& before, const Tree& after, arch::CodeTarget target);

  const Compiler& compiler() const { return compiler_; }

 private:
  struct Text;
  Result<Text> preprocess(const Unit& unit, const Tree& tree, arch::CodeTarget target);
  Result<Build> make(const Unit& unit, const Tree& tree, arch::CodeTarget target, bool assemble);
  Status assemble(const Unit& unit, const Tree& tree, arch::CodeTarget target, const std::string& ptx, Build& build);
  void locate(const Unit& unit, const Tree& tree, arch::CodeTarget target, Failure& failure, std::size_t line);
  Result<Unchanged> compare_code(const Unit& unit, const Tree& before, const Tree& after, arch::CodeTarget target,
                                 Unchanged out);
  Result<ProcessResult> call(const std::vector<std::string>& command);
  std::string new_path(const char* suffix);
  std::uint64_t question(const Unit& unit, arch::CodeTarget target, std::string_view what) const;

  Compiler compiler_;
  Store store_;
  std::vector<FeatureWords> features_;
  std::string scratch_;
  const std::atomic<bool>* cancelled_;
  std::atomic<unsigned> number_{0};
};

}  // namespace ungate::prove
