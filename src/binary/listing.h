// Listings: the code objects of one file, whatever kind of file it is.
//
// Only headers are read and nothing is decompressed, so that a listing costs the same for a file of
// a gigabyte as for a small one. A file that contradicts itself gives an Error with its path and
// offset, never a part of a listing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "binary/bytes.h"
#include "binary/code_object.h"

namespace ungate::binary {

enum class FileKind : std::uint8_t {
  shared_object,   // or a program
  object_file,     // .o
  static_archive,  // .a
  cubin,
  fatbin,
  ptx,
  other_vendor,  // device code that is not for CUDA: AMD's
  no_binary      // none of these
};
std::string_view name_of(FileKind kind);

// Where code objects lie that a linker or the driver takes together: the driver picks one of a
// unit.
enum class Place : std::uint8_t {
  fatbin,    // a container in .nv_fatbin, or a file of its own
  relfatbin  // a container in __nv_relfatbin: input of a device linker. In a shared object it is a
             // left-over that the driver never sees; cuobjdump does not list it there
};

struct Unit {
  Place place = Place::fatbin;
  std::string member;  // of a static archive
  bool empty = false;  // there is surely no kernel in it: what a device linker leaves behind
};

struct Listing {
  FileKind kind = FileKind::no_binary;
  std::vector<Unit> units;
  std::vector<CodeObject> objects;  // by unit, in the order of the file
  std::string toolkit;              // of a cubin: "13.0.88"; empty: not known
};

// What the first bytes (64 are enough, PTX takes more) show.
FileKind kind_of_bytes(std::string_view start);

// Whether a cubin certainly holds no kernel. Only small ones are looked into: larger ones hold
// some.
bool is_surely_empty(const ByteSource& source, const CodeObject& object);
inline constexpr std::uint64_t kLargestEmptyCubin = 16384;

Result<Listing> list(const ByteSource& source);
Result<Listing> list_file(const std::string& path);

}  // namespace ungate::binary
