// JIT modules whose sources are headers of templates: what a generated wrapper names in them, and what is compiled
// with that in any case (internal).
//
// From the named function or class the identifiers of bodies are followed to functions of the same name in the
// package's own files. An overloaded name leads to what each of them leads to. Followed is not what `if constexpr`
// may leave out, nor arms of the preprocessor that are not surely compiled for the device.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "gate/foreign_code.h"

namespace ungate::gate {

class Instantiated {
 public:
  Instantiated(CudaFiles& files, ForeignCode& foreign);
  ~Instantiated();

  // What the module compiles in any case and the device does not have; empty: nothing was found.
  std::vector<Evidence> lacking(const JitModule& module, const WalkedModule& walked, arch::Device device);

 private:
  struct File;         // one file's functions and lexemes
  class Search;        // from the entries of one module, for one device
  const File& file(const std::string& path);

  CudaFiles& files_;
  ForeignCode& foreign_;
  std::map<std::string, std::unique_ptr<File>> known_;
};

}  // namespace ungate::gate
