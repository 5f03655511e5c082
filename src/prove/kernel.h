// What is known of one kernel for one code target, from its PTX and from its machine code.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ungate::prove {

struct KernelFacts {
  std::string name;  // mangled; module-id hashes in it are replaced, so that two builds have the same

  // From the PTX, the device functions that it calls included.
  std::uint64_t text_hash = 0;  // equal for two builds if and only if the normalised PTX is
  std::uint32_t instructions = 0;
  bool effects = false;  // writes memory, copies, or calls something unknown
  bool traps = false;    // trap, a failing assertion, or a message printed
  bool wait = false;     // griddepcontrol.wait
  bool trigger = false;  // griddepcontrol.launch_dependents
  std::array<std::uint32_t, 3> cluster{};  // .reqnctapercluster; 0: not fixed
  std::vector<std::string> features;       // names of the features whose instructions it has

  // From the machine code; `code_bytes` 0: it was not assembled.
  std::uint64_t code_bytes = 0;
  std::uint64_t code_hash = 0;     // of its bytes
  std::uint32_t registers = 0;
  bool code_empty = false;         // it returns before it did anything
  std::uint64_t stack_bytes = 0;   // a thread's frame in local memory
  std::uint64_t spill_bytes = 0;   // stores and loads
  std::uint64_t shared_bytes = 0;  // static, without what the system keeps

  // It launches, succeeds and leaves nothing behind.
  bool does_nothing() const { return code_empty || (!effects && !traps); }
  // It is there to say that it should not have been launched.
  bool only_traps() const { return !effects && traps && !code_empty; }

  bool operator==(const KernelFacts&) const = default;
};

// "f<float, 8>(float*)" of a mangled name; the name itself if it is none.
std::string demangled(const std::string& name);
// "ns::f" of it: without template arguments, parameters and return type.
std::string base_name(const std::string& name);
// "f": the last part of base_name().
std::string short_name(const std::string& name);
// "float, 8": the template arguments of the function; empty if it has none.
std::string template_arguments(const std::string& name);

// A name with its module-id hashes replaced ("_INTERNAL_b9f7a0d8_4_k_cu_7a4a3e9c_123" differs from one
// compilation to the next).
std::string without_module_ids(std::string_view name);

}  // namespace ungate::prove
