// What a device can use of a file: the load rules of arch/load.h over its code objects.
//
// The driver takes one code object of each unit (a fatbin container: what one source file was
// compiled into): machine code if any loads, else the newest PTX that it can compile, else the
// unit's kernels fail with "no kernel image is available".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "binary/listing.h"

namespace ungate::binary {

enum class State : std::uint8_t {
  covered,   // every unit has machine code that loads
  jit_only,  // none has, every one has PTX that the driver compiles when it is first used: slow
             // at the start, and without features that only `a` and `f` targets have
  partly,    // some units have machine code that loads, others PTX only or nothing; or some have
             // PTX and others nothing
  no_code,   // nothing loads
  no_device_code  // host code alone, or nothing at all
};
std::string_view name_of(State state);  // "covered", "jit-only", "partly", "no-code", …

struct Coverage {
  State state = State::no_device_code;
  std::size_t units = 0;                      // that hold kernels, or may
  std::size_t loaded = 0, jit = 0, none = 0;  // of these: by machine code, from PTX, not at all
  std::vector<Built> ptx;                     // what is compiled for the units in `jit`; each once
  std::vector<Built> lost;                    // what the units in `none` hold instead; each once
};
Coverage coverage_of(const Listing& listing, arch::Device device);

// The code object that the driver takes of each unit, as an index into Listing::objects: machine
// code before PTX, the newer before the older, code for exactly the device before code for its
// family.
std::vector<std::optional<std::uint32_t>> chosen_objects(const Listing& listing,
                                                         arch::Device device);

// Whether a unit's code reaches the driver: not so for a device linker's input in a shared object.
bool counts(const Listing& listing, const Unit& unit);

}  // namespace ungate::binary
