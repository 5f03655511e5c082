// Fatbins: containers of code for several targets, as nvcc and fatbinary write them.
//
// The magic and the section names are in the CUDA toolkit's fatbinary_section.h; the rest was
// measured on what nvcc 12.8, 13.0 and 13.5 write and on released wheels, against plain `cuobjdump
// FILE`. A section holds any number of containers, each at a multiple of 8, with zeros between
// them:
//
//   container  0 u32 magic 0xba55ed50   4 u16 version (1)   6 u16 header size (16)
//              8 u64 size of what follows the header: entries, back to back
//   entry      0 u16 kind: 1 PTX, 2 cubin, 8 LTO IR        2 u16 0x0101
//              4 u32 header size: 64, or more when options or compatibility attributes follow
//              8 u64 size of the payload, padded to 8      16 u32 its size when compressed, else 0
//             24 u16 minor, 26 u16 major version           28 u32 compute capability times ten
//             40 u64 flags                                 56 u64 size when decompressed, else 0
//   flags      bit 4 Linux   bit 13 LZ4 block   bit 15 zstd frame   bit 20 `a`   bit 21 `f`
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "binary/bytes.h"
#include "binary/code_object.h"

namespace ungate::binary {

inline constexpr std::uint32_t kFatbinMagic = 0xba55ed50;
inline constexpr std::size_t kContainerHeaderSize = 16, kEntryHeaderSize = 64;

struct Container {
  std::uint64_t offset = 0;  // of its header
  std::uint64_t end = 0;     // of its last entry
  std::uint64_t first = 0;   // of its first entry
};

// Of the first 16 bytes at `offset`; the container must end by `limit`.
Result<Container> parse_container(const ByteSource& source, std::string_view bytes,
                                  std::uint64_t offset, std::uint64_t limit);

// An entry's code object and where the next entry starts. `bytes` begin at the entry's `offset` and
// are as many as there are, up to about 200: the header, and where there are more the first ones of
// the payload, which must agree with it.
struct Entry {
  CodeObject object;
  std::uint64_t next = 0;
};
Result<Entry> parse_entry(const ByteSource& source, std::string_view bytes, std::uint64_t offset,
                          std::uint64_t limit);

// The containers between two offsets, and their code objects in order; CodeObject::unit is an index
// into `containers`, plus `first_unit`.
struct Fatbin {
  std::vector<Container> containers;
  std::vector<CodeObject> objects;
};
// Reads headers only. `malformed` unless containers and padding fill the range to its end.
Result<Fatbin> read_fatbin(const ByteSource& source, std::uint64_t begin, std::uint64_t end,
                           std::uint32_t first_unit);

}  // namespace ungate::binary
