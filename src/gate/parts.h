// Parts: code behind gates that a package knows by name, and the devices that cannot run it (internal).
//
// A gate leads to a part whose name stands in its condition, in the arm that it opens, in what the functions
// called there do without asking further, in the test that it refines, or in the names of the function and file
// around it. The nearest of these that names a part decides.
#pragma once

#include <string>
#include <vector>

#include "gate/item.h"
#include "gate/knowledge.h"

namespace ungate::gate {

class Parts {
 public:
  Parts(const Knowledge& knowledge, python::Program& program, python::Evaluation& evaluation)
      : knowledge_(knowledge), program_(program), evaluation_(evaluation) {}

  // How far from the gate's own text a part may be named. `arm`: in its condition, or in what its arm does
  // without asking further.
  enum class Within { arm, anywhere };
  // The part that a Python gate leads to and that says something of the device, or null.
  const PackagePart* find(const Item& item, const Admission& admission, arch::Device device, Within within) const;

 private:
  using List = std::vector<const PackagePart*>;
  List parts_for(const Item& item, arch::Device device) const;
  const PackagePart* in_arm(const python::Tree& tree, python::NodeId node, const source::SourceFile& file, const List& parts) const;
  const PackagePart* behind(const Item& item, const List& parts) const;
  bool in_arm_refuses(const python::Tree& tree, python::NodeId block) const;
  const PackagePart* behind_exit(const Item& item, const source::SourceFile& file, const List& parts) const;
  const PackagePart* after_refusal(const Item& item, const source::SourceFile& file, const List& parts) const;
  const PackagePart* checked_by(std::string_view check, python::ModuleId module, const List& parts) const;
  const PackagePart* in_function(const python::Place& function, const List& parts) const;

  const Knowledge& knowledge_;
  python::Program& program_;
  python::Evaluation& evaluation_;
};

// A part says this of a device: its shared memory is too small, or the list of devices holds it.
bool concerns(const PackagePart& part, arch::Device device);

// An identifier, in lower case, is one of the part's names.
bool stands_for(const PackagePart& part, std::string_view name);

}  // namespace ungate::gate
