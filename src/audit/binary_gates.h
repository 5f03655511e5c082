// Binaries as gates: a shared object without code for a device shuts it out as surely as an `if`.
//
// Form "binary-objects". A gate a file that a program loads (not what a linker takes: .o, .a);
// files of one code object that lie together and hold the same (cubins come by the thousand) are
// one gate, whose path is their folder. There is no edit: the remedy is another build, which the
// evidence names.
//   no-code    admits no, effect no-code, verdict capability
//   partly     admits unknown: which kernels are missing is what `--kernels` says
//   jit-only   admits unknown, effect slower: PTX that a driver compiles lacks what `a` and `f`
//   targets
//              have, and has been seen to compute nonsense (vllm-project/vllm#40923)
//   covered    admits yes; unknown where the kernels were looked into and some only trap or are empty
#pragma once

#include <vector>

#include "audit/objects.h"
#include "gate/gate.h"
#include "python/evaluate.h"

namespace ungate::audit {

// The code that counts in a file: "sm_80 sm_90a; PTX sm_90".
std::string code_of(const binary::Listing& listing);

// Ordered as the files are. Files without device code are none.
std::vector<gate::Gate> binary_gates(const Objects& objects,
                                     const std::vector<arch::Device>& targets);

// Where a package has the same library in several folders named after architectures ("sm90/",
// "sm100/") and an if/elif chain of its Python names them, says which one it takes: that becomes
// evidence of the gate, and the others are unreachable on that target.
void explain_loaders(std::vector<gate::Gate>& gates, const python::Evaluation& evaluation,
                     const python::Program& program);

}  // namespace ungate::audit
