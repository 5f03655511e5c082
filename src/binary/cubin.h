// Cubins: ELF files of machine 190 that hold code for one target.
//
// Measured on cubins of ptxas 12.8, 12.9, 13.0 and 13.5, against `cuobjdump -elf`:
//   flags, ABI version 8 and later (from Blackwell on, and all of toolkit 13):
//     bits 8..15 compute capability times ten      bit 3 `a` (toolkit 12)
//   flags, ABI version 7 and before:
//     bits 0..7 compute capability times ten       bit 11 `a`
//   section .nv.compat (toolkit 13): attributes as in .nv.info, of which format 2, number 9 says
//     whether the code is exact (`a`)
//   section .note.nv.tkinfo: note 2000 of "NVIDIA Corp"; six u32, of which number 3 and 5 are
//   offsets
//     into the strings behind them: the tool's version, and its command line, where "-arch sm_100f"
//     is the only trace of `f`. Without it code for a family looks plain, and loads on the same
//     devices
//   .text.NAME holds the code of kernel or function NAME
#pragma once

#include <cstdint>
#include <string>

#include "binary/code_object.h"
#include "binary/elf.h"

namespace ungate::binary {

// The compute capability times ten that the flags say.
std::uint32_t cubin_cc(const ElfHeader& header);

struct Cubin {
  Built built;
  std::string toolkit;    // "13.0.88"; empty: not recorded
  bool has_code = false;  // there is a kernel or function in it
};
// What an ELF file of machine 190 is for; reads two small sections.
Result<Cubin> describe_cubin(const ByteSource& source, const Elf& elf);

}  // namespace ungate::binary
