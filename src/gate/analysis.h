// The analysis of an environment: from what the front ends found to gates with their ties and verdicts.
//
// Order of work: Python's choices and CUDA's guards become items; JIT modules are read from the builders'
// calls and, where a gate shuts a target out of one, their units are walked; ties are drawn between gates
// (what leads where, what must move together); then every gate is judged for every target.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gate/item.h"
#include "gate/knowledge.h"
#include "gate/native.h"
#include "gate/sources.h"
#include "python/callers.h"
#include "python/evaluate.h"

namespace ungate::gate {

struct Inputs {
  python::Program& program;
  python::Evaluation& evaluation;
  CudaFiles& cuda;
  const Knowledge& knowledge;
  std::vector<std::string> cuda_files;       // those that mention the target macros
  std::vector<std::string> host_files;       // those that ask for the device at run time
  // CUDA and C++ files of a top folder that hold one of the names.
  std::function<std::vector<std::string>(const std::vector<Symbol>&, const std::string&)> cuda_holders;
  python::Texts texts;
  std::vector<arch::Device> targets;
  NativeLibraries libraries;
  unsigned threads = 0;                      // 1: everything on the caller's
  bool open_too = false;                     // describe gates of CUDA files that admit every target, too
};

struct Findings {
  std::vector<Gate> gates;                   // ordered by path, then place
  std::vector<JitModule> modules;
  std::vector<NativeUse> native;             // one for each of Inputs::libraries
  std::vector<std::string> not_checked;      // sentences: what was left out, and why
};

// What C++ and CUDA files say by themselves. Nothing here asks the Python side, which may be evaluated by
// another thread at the same time; nobody else may use Inputs::cuda meanwhile.
struct CudaReading {
  std::vector<Item> host;   // gates in host code
};
CudaReading read_cuda(const Inputs& inputs);

Findings analyse(const Inputs& inputs, CudaReading reading);

}  // namespace ungate::gate
