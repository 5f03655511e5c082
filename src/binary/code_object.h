// A piece of device code: what it is compiled for, where it lies, and what loads it.
#pragma once

#include <cstdint>
#include <string>

#include "arch/device.h"

namespace ungate::binary {

enum class CodeKind : std::uint8_t {
  ptx,    // text that the driver compiles
  elf,    // a cubin: machine code
  ltoir,  // for a link-time optimiser; the driver alone cannot load it
  other   // a kind that this version does not know
};
std::string_view name_of(CodeKind kind);  // "ptx", "elf", "ltoir", "other"

enum class Compression : std::uint8_t { none, lz4, zstd };
std::string_view name_of(Compression compression);

// What code is compiled for, as a file writes it. The number need not be one of arch/'s table:
// files hold code for devices that are older or newer than it.
struct Built {
  std::uint32_t cc = 0;  // 120 for 12.0
  arch::Suffix suffix = arch::Suffix::plain;

  auto operator<=>(const Built&) const = default;
  std::string name() const;  // "sm_120a"
};

enum class Loads : std::uint8_t { no, jit, yes };
std::string_view name_of(Loads loads);  // "no", "jit", "yes"

// What the driver does with the code on that device: run it, compile it first, or refuse it. The
// rules are those of arch/load.h, also for numbers outside the table.
Loads loads_on(CodeKind kind, Built built, arch::Device device);

struct CodeObject {
  CodeKind kind = CodeKind::other;
  Compression compression = Compression::none;
  Built built;
  // The ISA version of PTX ("8.8"), the format version of a cubin ("1.8").
  std::uint16_t major = 0, minor = 0;
  std::uint16_t raw_kind = 0;  // as written in a fatbin entry; 0: the file is no fatbin
  std::uint32_t unit = 0;      // index of the unit it belongs to
  std::uint64_t offset = 0;    // of its payload, in the source that was listed
  std::uint64_t stored = 0;    // bytes there, without padding
  std::uint64_t size = 0;      // after decompression
};

}  // namespace ungate::binary
