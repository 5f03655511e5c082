// Reading PTX: its entries and what is in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "prove/kernel.h"

namespace ungate::prove {

// An instruction set extension that a target may lack.
struct FeatureWords {
  std::string name;
  std::vector<std::string> instructions;  // beginnings of mnemonics; '*' stands for some characters
};

struct PtxModule {
  std::string version, target;       // "9.0", "sm_120a"
  std::vector<KernelFacts> kernels;  // entries, in order of their names
};

// Never fails: what is not understood is left out. `features` names what is looked for.
PtxModule read_ptx(std::string_view text, const std::vector<FeatureWords>& features = {});

// True if a mnemonic is of the feature.
bool has_instruction(const FeatureWords& feature, std::string_view mnemonic);

// The entry or function around a line (from 1), and the source line that the last `.loc` before it
// names. Both empty where there is none.
struct PtxPlace {
  std::string function, source;  // source: "path:line"
  std::string instruction;       // the text of the line
};
PtxPlace place_in_ptx(std::string_view text, std::size_t line);

}  // namespace ungate::prove
