// Native extensions: which gates guard code that lies compiled in a shared object, and whether it is
// there for the target.
//
// Two kinds of ties are drawn. A file imports an extension and notes in the same block that it is there
// (`try: import pkg._C; C_AVAILABLE = True`): a gate in a function that asks for that flag is about this
// extension. A file calls an operator of it (torch.ops.NAMESPACE.op): a gate whose arm holds the call, or
// calls the function that does, guards it. If nothing of any extension that a gate is tied to loads on the
// target, only another build can help: a limit, whatever the gate's condition says.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"

namespace ungate::python {
class Callers;
}

namespace ungate::gate {

struct Inputs;
struct Item;
struct Standing;

// A shared object with device code.
struct NativeLibrary {
  std::string path;        // relative to its import root
  std::string module;      // "pkg._C", as it would be imported
  std::string holds;       // "sm_80 sm_90a; PTX sm_90"
  arch::DeviceSet without; // devices for which no code object in it loads
};

// The libraries of an environment. Operators are those of libraries without code for some target; they
// are read when they are asked for.
struct NativeLibraries {
  std::vector<NativeLibrary> all;
  std::function<std::vector<std::size_t>(std::string_view name_space, std::string_view op)> with_op;
};

// What the program does with each library, for its own finding.
struct NativeUse {
  std::vector<std::string> imports;  // places, in order of files
  std::vector<std::string> calls;    // of its operators, where they were looked for
};

// Fills in Item::native.
std::vector<NativeUse> tie_to_libraries(const Inputs& inputs, std::vector<Item>& items,
                                        python::Callers& callers);

// The verdict of a gate that shuts the device out and is tied to libraries, if they decide it.
void judge_by_libraries(const NativeLibraries& libraries, const Item& item, Standing& standing);

}  // namespace ungate::gate
