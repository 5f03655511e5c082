// What rules say about packages and instructions: plain data, filled from rules/packages,
// rules/features.yaml and rules/host.yaml.
#pragma once

#include <string>
#include <vector>

#include "arch/device.h"
#include "base/symbol.h"
#include "cuda/host_vocabulary.h"
#include "cuda/structure.h"
#include "gate/gate.h"
#include "package/specifier.h"

namespace ungate::gate {

// How a package builds modules from sources when they are first used.
struct JitRules {
  std::vector<Symbol> builders;      // dotted names of the function that describes a module: it moved between versions
  // Its parameters, by what they mean; empty: it has none. A name of several parts is given as *args.
  std::string name, cuda_flags, flags, include_paths;
  std::vector<std::string> sources;
  // Those that list what a generated wrapper instantiates: (export, "Kernel<…>::run"). The sources are headers of
  // templates then.
  std::vector<std::string> wrappers;
  std::vector<std::string> source_folders;   // where a relative source lies: the first that has it
  // A global (dotted) and a field of it that lists (major, "0a") for each device that is built for.
  std::string targets_global, targets_field;
  std::vector<std::string> include_folders;  // always searched, relative to an import root
  std::vector<std::string> libraries;        // of these, folders of other projects: a module need not use all they hold
  std::vector<std::string> macros;           // always defined, as after -D
  std::vector<std::string> nvcc_flags;       // always given to nvcc; -std= only where the module gives none
  std::vector<std::string> compiler_variables;  // environment variables that name the nvcc it calls
  std::vector<std::string> absent_macros;    // prefixes of macros that are defined by -D or not at all
  std::vector<std::string> outside_headers;  // begin so: headers of the toolkit and of bindings, which hold no kernels; empty: any that is not there
};

// A judgement that rests on something outside the text: a maintainer's word, a measurement.
struct PackageNote {
  std::string id;
  std::string module;                // a JIT module; empty: any
  std::string path;                  // a file, relative to an import root; empty: any
  std::string function;              // an enclosing function; empty: any
  std::string expression;            // text that the gate's expression holds; empty: any
  arch::DeviceSet targets;           // for which it holds
  Verdict verdict = Verdict::unknown;
  std::vector<std::string> unless_files;   // patterns of paths: it does not hold where one is installed
  std::string text, link;
};

// Code behind gates that a package knows by name: kernels of its own or of another package.
struct PackagePart {
  std::string id;
  std::vector<std::string> names;    // identifiers that stand for it, in lower case; '*' matches anything
  std::vector<std::string> except;   // identifiers that look like it and are something else; beside a value, one makes it another
  std::vector<std::string> imports;  // modules that are imported as it: `from flash_attn_interface import …`
  std::vector<std::string> values;   // strings that stand for it: `backend = "triton"`
  std::vector<std::string> expressions;  // whole gates that stand for it, as one line; '*' matches anything
  arch::DeviceSet targets;           // for which it holds
  int shared_kb = 0;                 // shared memory that a block of it needs: it holds where there is less
  Verdict verdict = Verdict::capability;
  std::vector<std::string> unless_files;   // patterns of paths: it does not hold where one is installed
  bool in_kernels = false;           // its names tell in the code of kernels, too
  std::string text, link;
};

struct PackageRules {
  std::string package;               // normalised distribution name
  package::SpecifierSet versions;      // for which these rules hold
  std::string folder;                // its folder below an import root; "*": every folder
  std::string file;                  // where they are written
  std::optional<JitRules> jit;
  std::vector<std::string> aot_modules;   // Python modules that build ahead of time
  std::vector<cuda::Vocabulary::ExportMacro> export_macros;
  std::vector<PackageNote> notes;
  std::vector<PackagePart> parts;
  std::vector<std::pair<std::string, std::string>> macros;  // that its builds define for the device at hand, and their bodies
  std::vector<std::string> headers;       // folders of headers that come along to be compiled against: names of host code are not followed into them
  std::vector<std::string> kernel_decorators;   // that make kernels of Python functions, as written: "cute.jit"
  std::vector<std::string> measured;      // in names of tables by device that hold measured sizes, in lower case
};

// An instruction, intrinsic or call that not every device has.
struct Feature {
  std::string name;                  // "tcgen05"
  std::vector<std::string> instructions;  // prefixes of mnemonics: "tcgen05."
  std::vector<std::string> words;    // intrinsics and calls, whole words
  std::vector<std::string> tags;     // CUTLASS architectures whose kernels use it: cutlass::arch::Sm90
  arch::CodeTargetSet targets;       // where ptxas takes it
  std::string ptx;                   // an instruction of it, to measure
};

struct Knowledge {
  std::vector<PackageRules> packages;
  std::vector<Feature> features;
  cuda::Vocabulary vocabulary;
  cuda::HostVocabulary host;
};

}  // namespace ungate::gate
