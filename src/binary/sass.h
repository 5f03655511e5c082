// Machine code, as far as it says whether a kernel does anything.
//
// From compute capability 7.0 on an instruction has 16 bytes; bits 0..11 are the operation, of
// which bits 9..11 say where operands come from; bits 12..15 are the predicate, 7 = always. Read
// off what nvdisasm 13.5 prints for code of sm_80, sm_90a, sm_100f, sm_103a and sm_120a; CUDA
// Binary Utilities documents the names.
#pragma once

#include <cstdint>
#include <string_view>

namespace ungate::binary {

struct CodeTraits {
  bool empty = false;   // returns before it did anything
  bool trap = false;    // stops the program before it did anything
  bool traps = false;   // there is a trap somewhere in it
  bool matrix = false;  // there are matrix instructions in it
};
CodeTraits traits_of(std::string_view code);

}  // namespace ungate::binary
