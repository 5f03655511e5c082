// ELF, as far as device code needs it: the section table of 64-bit little-endian files.
//
// Layout (System V ABI, "Object Files"), offsets in bytes:
//   header   0 "\x7fELF"  4 class (2 = 64 bit)  5 data (1 = little)  7 OS ABI  8 ABI version
//            16 type (1 REL, 2 EXEC, 3 DYN)  18 machine  40 section table's offset  48 flags
//            58 size of a section header (64)  60 their count  62 index of the names' section
//            Count 0 with a table: the count is in sh_size of section 0; index 0xffff: in its
//            sh_link.
//   section  0 name  4 type (8 = NOBITS: no bytes in the file)  8 flags  16 address  24 offset
//            32 size  40 link  44 info  48 alignment  56 entry size
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "binary/bytes.h"

namespace ungate::binary {

inline constexpr std::string_view kElfMagic{
    "\x7f"
    "ELF",
    4};
inline constexpr std::size_t kElfHeaderSize = 64, kSectionHeaderSize = 64;
inline constexpr std::uint16_t kMachineCuda = 190, kMachineAmdGpu = 224;
inline constexpr std::uint16_t kTypeRelocatable = 1, kTypeExecutable = 2, kTypeShared = 3;
inline constexpr std::uint32_t kSectionSymbols = 2, kSectionNote = 7, kSectionNoBits = 8;

struct ElfHeader {
  std::uint8_t os_abi = 0, abi_version = 0;
  std::uint16_t type = 0, machine = 0;
  std::uint32_t flags = 0;
  std::uint64_t table = 0;  // offset of the section table; 0: there is none
  std::uint16_t count = 0;  // of sections, as written
  std::uint16_t names = 0;  // index of the section of names, as written
};

struct Section {
  std::string_view name;  // into Elf::names
  std::uint32_t type = 0, link = 0, info = 0;
  std::uint64_t flags = 0, address = 0, offset = 0, size = 0, entry_size = 0;
  bool has_bytes() const { return type != kSectionNoBits && size != 0; }
};

struct Elf {
  ElfHeader header;
  std::vector<Section> sections;
  std::unique_ptr<std::string> names;  // on the heap, so that an Elf can move

  // The first section of that name, or nullptr.
  const Section* find(std::string_view name) const;
};

bool is_elf(std::string_view bytes);
// Of the first 64 bytes; `malformed` for other classes and for a section table that cannot be.
Result<ElfHeader> parse_elf_header(const ByteSource& source, std::string_view bytes);
// Reads the section table. Guarantees that every section with bytes lies inside the file. A header
// without a table gives no sections.
Result<Elf> read_elf(const ByteSource& source);

}  // namespace ungate::binary
