// The shared objects of an environment as gate/ sees them: which have code for whom, and which
// PyTorch operators they register.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "audit/objects.h"
#include "binary/ops.h"
#include "gate/gate.h"
#include "gate/native.h"

namespace ungate::audit {

class Natives {
 public:
  Natives() = default;
  // Operators are read from files on disk when they are asked for; those of an archive are not known.
  Natives(const package::Environment& environment, const Objects& objects, bool archive,
          const std::vector<arch::Device>& targets);

  // Refers to this object, which must stay where it is.
  gate::NativeLibraries libraries();

  // Says of each binary where it is imported and its operators are called.
  void tell_uses(const std::vector<gate::NativeUse>& uses, std::vector<gate::Gate>& binaries) const;

 private:
  const binary::OpNames& ops_of(std::size_t library);

  std::vector<gate::NativeLibrary> all_;
  std::vector<std::string> files_;  // full paths; empty: not on disk, or with code for every target
  std::map<std::size_t, binary::OpNames> ops_;
};

}  // namespace ungate::audit
