// What stands in a CUDA or C++ file: functions, calls, kernel launches, inline assembly, exported
// operators. Read from tokens and braces alone, without types and without other files; made for the
// few files that hold something of interest.
//
// Both arms of a conditional are read. Where they split a declaration or disagree in their braces,
// the first arm decides how the file goes on, so that no directive can lose the rest of a file;
// where braces do not match at all, the next thing that can only stand outside of functions
// (__global__, a template in the first column) sets the nesting right again, and a problem is
// noted.
//
// All ranges are byte offsets of the file. What is inside a macro's expansion has the range of its
// use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/symbol.h"
#include "cuda/directives.h"
#include "source/source_file.h"

namespace ungate::cuda {

// Names that mean something, as data. What CUDA itself defines is the default; libraries add
// theirs.
struct Vocabulary {
  struct LaunchFunction {
    std::string name;
    int config;  // index of the argument that is the configuration; -1: none
    int kernel;  // index of the argument that is the kernel
  };
  // FOO(op, function): arguments by index.
  struct ExportMacro {
    std::string name;
    int op;
    int function;
  };
  // x.def("op(…)", &function), x.impl("op", key, &function): the first argument is the operator,
  // the last one that names a function is the function.
  std::vector<std::string> export_methods = {"def", "impl"};
  std::vector<ExportMacro> export_macros;

  // Words that stand for __device__ or __global__ in a declaration.
  std::vector<std::string> device_words = {"__device__"};
  std::vector<std::string> kernel_words = {"__global__"};

  std::vector<LaunchFunction> launch_functions = {
      {"cudaLaunchKernelEx", 0, 1},
      {"cudaLaunchKernelExC", 0, 1},
      {"cuLaunchKernelEx", 0, 1},
      {"cudaLaunchKernel", -1, 0},
      {"cudaLaunchCooperativeKernel", -1, 0},
      {"cudaLaunchCooperativeKernelMultiDevice", -1, 0}};

  // Programmatic dependent launch: calls and instructions.
  std::vector<std::string> waits = {"cudaGridDependencySynchronize", "griddepcontrol.wait"};
  std::vector<std::string> triggers = {"cudaTriggerProgrammaticLaunchCompletion",
                                       "griddepcontrol.launch_dependents"};
  // Calls worth naming in a guard (waits and triggers are named anyway).
  std::vector<std::string> intrinsics;
};

struct Function {
  Symbol name;       // without qualification: "f", "operator()", "~X"
  Symbol qualified;  // with the namespaces and classes around it, as far as they were seen
  bool is_template = false;
  bool is_kernel = false;     // __global__
  bool is_device = false;     // __device__
  source::Range declaration;  // up to and with the parameter list
  source::Range name_range;
  source::Range parameters;             // without the parentheses
  source::Range body;                   // with the braces
  source::Range launch_bounds;          // the arguments of __launch_bounds__; empty: none
  source::Range cluster_dims;           // of __cluster_dims__
  std::vector<Symbol> parameter_names;  // empty for one without a name
};

struct Call {
  Symbol name;                     // "f" of a::f<T>(x), x.f()
  std::uint32_t function = kNone;  // the one it stands in
  source::Range range;             // of the name
  bool member = false;             // x.f(), x->f()
};

// A setting of a launch.
struct Setting {
  enum class Is : std::uint8_t {
    no,
    yes,
    conditional,  // decided at run time by `condition`
    unknown       // the configuration comes from somewhere that was not understood
  };
  Is is = Is::no;
  std::string condition;  // source text, one line; of `unknown`: what was not understood
  source::Range where;    // the statement that sets it; empty: none
  bool operator==(const Setting&) const = default;
};
Setting either(const Setting& a, const Setting& b);  // in different places

struct Launch {
  std::vector<Symbol> kernels;     // the names it can launch; empty: not understood
  std::uint32_t function = kNone;  // the one it stands in
  source::Range range;
  Symbol macro;              // the function-like macro that holds it, if any
  Setting programmatic;      // programmatic stream serialization (PDL)
  Setting cluster;           // cluster dimension
  std::string cluster_size;  // source text of the x dimension, if set
  std::string dynamic_shared;  // source text of the bytes of dynamic shared memory, if set
  // The kernel, or the configuration, is this parameter of the function: its callers decide.
  std::uint32_t kernel_parameter = kNone;
  std::uint32_t config_parameter = kNone;
  Symbol config_helper;  // the configuration comes from a call of this function
  bool operator==(const Launch&) const = default;
};

// A function that fills in a configuration and does not launch anything itself.
struct ConfigMaker {
  std::uint32_t function = kNone;
  Setting programmatic, cluster;
};

// A call that passes a launch configuration on.
struct ConfigPassed {
  Symbol callee;
  std::uint32_t argument = 0;
  Setting programmatic, cluster;
};

struct Assembly {
  source::Range range;  // the whole statement
  std::uint32_t function = kNone;
  std::vector<Symbol> mnemonics;  // with their modifiers: "mbarrier.try_wait.shared.b64"
};

struct SharedMemory {
  Symbol name;
  std::uint32_t function = kNone;
  source::Range range;
  bool dynamic = false;     // extern
  std::uint64_t bytes = 0;  // 0: not a constant that can be told from the text
};

struct Export {
  Symbol op;
  Symbol function;
  source::Range range;
};

// if constexpr (…) inside a function.
struct ConstexprIf {
  std::uint32_t function = kNone;
  source::Range condition;
  source::Range then;
  source::Range otherwise;  // empty: no else
};

// A macro that depends on the code target, used in code (not in a directive).
struct TargetMacroUse {
  Symbol name;
  std::uint32_t function = kNone;
  source::Range range;
  source::Range expression;  // the comparison or initializer around it
};

// All lists are in source order (functions by their bodies).
struct Structure {
  std::vector<Function> functions;
  std::vector<Call> calls;
  std::vector<Launch> launches;
  std::vector<ConfigPassed> configs;
  std::vector<ConfigMaker> makers;
  std::vector<Assembly> assembly;
  std::vector<SharedMemory> shared;
  std::vector<Export> exports;
  std::vector<ConstexprIf> constexpr_ifs;
  std::vector<TargetMacroUse> target_macros;
  std::vector<source::Range> recovered;  // where the nesting had to be set right
};

// A function-like macro of another file that launches kernels.
struct LaunchMacro {
  Symbol name;
  std::vector<std::string> parameters;
  bool variadic = false;
  std::string body;
};
// The macros of a file that launch or set up launches, directly or through each other.
std::vector<LaunchMacro> launch_macros(std::string_view text, const Directives& directives,
                                       const Vocabulary& vocabulary);

// `macros`: launch macros of the headers that the file includes; its own are found anyway.
Structure read_structure(std::string_view text, const Directives& directives,
                         const Vocabulary& vocabulary, const std::vector<LaunchMacro>& macros = {});

// The calls and the assembly of a piece of a file without preprocessor lines, read alone: all that
// is asked when it matters whether an instruction is there. Functions are not known.
Structure read_piece(std::string_view text, source::Range piece, const Vocabulary& vocabulary);

// The function whose body or declaration contains `offset`; kNone.
std::uint32_t function_at(const Structure& structure, std::uint32_t offset);

// Settles launches whose configuration comes from a caller or a helper, where that is in one of the
// files. What stays open is `unknown`.
void link_launches(std::vector<Structure*> files);

}  // namespace ungate::cuda
