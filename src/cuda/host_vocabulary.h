// What names mean in host code of C++: plain data, filled from rules/host.yaml.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ungate::cuda {

// A fact of the device, as the runtime reports it.
enum class HostFact : std::uint8_t {
  major,
  minor,
  cc,       // major * 10 + minor
  cc_pair,  // (major, minor)
  smem_block,  // bytes of shared memory that a block can have after opt-in
  smem_sm      // bytes that a multiprocessor has
};

// Names that mean something in host code, as data (rules/host.yaml).
struct HostVocabulary {
  struct Named {
    std::string name;
    HostFact fact;
  };
  // f(…, &x, …): the argument at `index` is filled with a fact of the device.
  struct Fills {
    std::string call;
    int index;
    HostFact fact;
  };
  std::vector<std::string> attribute_calls;  // f(&x, ATTRIBUTE, device)
  std::vector<Named> attributes;
  std::vector<Fills> fills;
  std::vector<std::string> property_types;  // structures of device properties …
  std::vector<std::string> property_calls;  // … what gives one …
  std::vector<Named> property_fields;       // … and what it holds
  std::vector<Named> functions;             // of libraries that are not read
  std::vector<Named> parameters;            // by convention, where no caller is seen
  std::vector<std::string> checks;          // a macro with such a piece in its name tests its argument
  std::vector<std::string> raises;          // a call or macro with such a piece does not come back
  std::vector<std::string> logs;            // calls that only tell
  std::vector<std::string> common;          // names that many functions have: not followed
  std::vector<std::string> seeds;           // texts without which a file is not read
};

}  // namespace ungate::cuda
