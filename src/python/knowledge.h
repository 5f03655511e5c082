// What the evaluator knows about names of packages it does not read: plain data, filled from rules/.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/symbol.h"
#include "value/free.h"

namespace ungate::python {

// A fact of the device that a call, attribute or annotated parameter gives.
enum class Gives : std::uint8_t {
  capability,        // (major, minor)
  major, minor,
  cc,                // major * 10 + minor
  properties,        // an object with `properties` below as attributes
  smem_block,        // bytes of shared memory a block can have after opt-in
  smem_sm,           // bytes of shared memory of a multiprocessor
  device_name,       // the product name: free
  at_least,          // capability >= (the arguments)
  arch_texts,        // "120;120-real": the architectures that a generator makes code for
  arch_name,         // "sm_120"
  arch_enum,         // (major, minor, suffix), the order of CuTe-DSL's Arch
  backend,           // "cuda": Triton's name for the kind of device
  launch_limits      // {"max_shared_mem": bytes of a block, ...}: Triton's properties of a device
};

// A keyword argument, or the first argument of a decorator, whose value lists the devices it admits.
struct Sink {
  enum class Lists : std::uint8_t {
    majors,          // [9, 10]
    capabilities,    // [90, 100]: major * 10 + minor
    texts,           // ["90", "100a"]
    gencode,         // ["-gencode=arch=compute_90a,code=sm_90a", …]
    least, most,     // no list: the smallest and the largest capability that is admitted
    one              // a call's first arguments: the major and the minor version that is built for
  };
  Symbol name;
  bool decorator = false;
  Lists lists = Lists::majors;
  Symbol vendors;      // of a bound: the keyword beside it that names whose devices are meant
  std::vector<std::string> own_vendors;    // ... names in it that mean ours
  std::vector<std::string> other_vendors;  // ... and last names of callees that mean those of others
  std::string form;    // "py-major-list"
  std::string source;  // where this is known from

  bool is_bound() const { return lists == Lists::least || lists == Lists::most; }
};

struct Knowledge {
  template <class T>
  using Map = std::unordered_map<Symbol, T>;
  using Set = std::unordered_set<Symbol>;

  Map<Gives> calls;             // by dotted name: torch.cuda.get_device_capability
  Map<Gives> elsewhere;         // the same, of packages that are read where they are installed
  Map<Gives> functions;         // by last name, wherever it is defined
  // Of a parameter: by the name of its annotation, or by its own dotted name (package.module.function.parameter).
  Map<Gives> annotations;
  Map<Gives> compared;          // a name that holds this where it is compared with names of devices: "sm_100"
  Set enums;                    // dotted names of classes that list devices: cutlass.base_dsl.arch.Arch
  Map<Gives> properties;        // attribute of device properties
  Map<value::Constant> constants;  // dotted name of a value or of a call without device: what it is
  Map<Symbol> objects;          // dotted global that is made at run time -> dotted class it is an object of; `*.` of both: any package
  Set constant_calls;           // of these, the names that are called
  Set present;                  // dotted names that hasattr finds
  Set missing;                  // dotted names (and everything below) that do not exist in this world
  std::vector<std::string> unset_suffixes;  // environment variables so named are not set
  Set opaque;                   // top-level packages that are not read even if they are installed
  std::vector<Sink> sinks;
  Set identities;               // decorators and wrappers that give back the function they are given
  Set captures;                 // dotted functions whose calls are kept: builders of JIT modules
  Set logging;                  // first names of calls that only log: logger, warnings, print
  Set dataclasses;              // last names of decorators and bases that make a dataclass
  std::vector<std::string> fallbacks;  // texts in what is logged where somebody does not get what was asked for
  std::vector<std::string> fallback_names;  // in names of functions that give something else than was asked for
  std::vector<std::string> reasons;  // in sentences that are handed to what an arm returns instead of serving
  Set complaints;               // lists that a sentence is added to for each reason not to serve
  std::vector<std::string> warnings;  // how the last name begins where a call tells of a fallback: warn
  Set common;                   // names too common to follow from file to file
  std::vector<std::string> seeds;  // words that make a file worth reading, beside the names above

  const Sink* sink(Symbol name, bool decorator) const {
    for (const Sink& s : sinks) {
      if (s.name == name && s.decorator == decorator) return &s;
    }
    return nullptr;
  }
};

}  // namespace ungate::python
