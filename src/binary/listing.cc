#include "binary/listing.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "binary/archive_members.h"
#include "binary/cubin.h"
#include "binary/elf.h"
#include "binary/fatbin.h"
#include "binary/payload.h"
#include "binary/ptx.h"

namespace ungate::binary {
namespace {

constexpr std::size_t kStart = 4096;  // PTX may begin with comments
constexpr std::string_view kFatbinMagicBytes{"\x50\xed\x55\xba", 4};
constexpr std::string_view kOffloadBundle = "__CLANG_OFFLOAD_BUNDLE__";
FileKind kind_of_elf(std::string_view start) {
  if (start.size() < kElfHeaderSize)
    return FileKind::shared_object;  // list() says that it is cut off
  auto machine = load<std::uint16_t>(start, 18);
  if (machine == kMachineCuda) return FileKind::cubin;
  if (machine == kMachineAmdGpu) return FileKind::other_vendor;
  bool relocatable = load<std::uint16_t>(start, 16) == kTypeRelocatable;
  return relocatable ? FileKind::object_file : FileKind::shared_object;
}

class Lister {
 public:
  explicit Lister(Listing& out) : out_(out) {}

  Status elf(const ByteSource& source, std::uint64_t base, const std::string& member) {
    auto elf = read_elf(source);
    if (!elf) return std::unexpected(elf.error());
    if (elf->header.machine == kMachineCuda) return cubin(source, *elf, base, member);
    if (elf->header.machine == kMachineAmdGpu) return {};
    if (elf->header.table == 0) {
      return source.bad(40, "without a section table, device code cannot be found");
    }
    std::uint64_t end = 0, begin = 0;
    for (const Section& s : elf->sections) {
      bool relfatbin = s.name == "__nv_relfatbin";
      if ((s.name != ".nv_fatbin" && !relfatbin) || !s.has_bytes()) continue;
      if (s.offset < end && begin < s.offset + s.size) {
        return source.bad(s.offset, "two sections of device code overlap");
      }
      begin = s.offset, end = s.offset + s.size;
      Place place = relfatbin ? Place::relfatbin : Place::fatbin;
      if (auto status = fatbin(source, s.offset, end, base, place, member); !status) return status;
    }
    return {};
  }

  // Offsets of code objects are those of the whole file: `base` is where the source begins in it.
  Status fatbin(const ByteSource& source, std::uint64_t begin, std::uint64_t end,
                std::uint64_t base, Place place, const std::string& member) {
    auto first = static_cast<std::uint32_t>(out_.units.size());
    auto fatbin = read_fatbin(source, begin, end, first);
    if (!fatbin) return std::unexpected(fatbin.error());
    out_.units.resize(first + fatbin->containers.size(), Unit{place, member, true});
    for (CodeObject& o : fatbin->objects) {
      Unit& unit = out_.units[o.unit];
      if (unit.empty) unit.empty = is_surely_empty(source, o);
      o.offset += base;
      out_.objects.push_back(o);
    }
    return {};
  }

  Status members(const ByteSource& source) {
    auto members = read_members(source);
    if (!members) return std::unexpected(members.error());
    for (const Member& m : *members) {
      Slice slice(source.name() + '(' + m.name + ')', source, m.offset, m.size);
      char start[kElfHeaderSize];
      auto bytes = slice.some(0, start);
      if (!bytes) return std::unexpected(bytes.error());
      if (!is_elf(*bytes)) continue;
      if (auto status = elf(slice, m.offset, m.name); !status) return status;
    }
    return {};
  }

  Status ptx(const ByteSource& source, std::string_view start) {
    auto header = parse_ptx_header(start);
    if (!header) return source.bad(0, "PTX without .version and .target");
    CodeObject o;
    o.kind = CodeKind::ptx;
    o.built = header->built;
    o.major = header->major, o.minor = header->minor;
    add(o, source.size(), "");
    return {};
  }

 private:
  Status cubin(const ByteSource& source, const Elf& elf, std::uint64_t base,
               const std::string& member) {
    auto cubin = describe_cubin(source, elf);
    if (!cubin) return std::unexpected(cubin.error());
    CodeObject o;
    o.kind = CodeKind::elf;
    o.built = cubin->built;
    o.offset = base;
    out_.toolkit = cubin->toolkit;
    add(o, source.size(), member);
    out_.units.back().empty = !cubin->has_code;
    return {};
  }

  void add(CodeObject o, std::uint64_t size, const std::string& member) {
    o.unit = static_cast<std::uint32_t>(out_.units.size());
    o.stored = o.size = size;
    out_.units.push_back({Place::fatbin, member, false});
    out_.objects.push_back(o);
  }

  Listing& out_;
};

}  // namespace

std::string_view name_of(FileKind kind) {
  constexpr std::array<std::string_view, 8> kNames = {
      "shared-object", "object", "archive", "cubin", "fatbin", "ptx", "other-vendor", "no-binary"};
  return kNames[static_cast<std::size_t>(kind)];
}

// Measured: a device linker's own cubins have 1.4 to 1.7 KB, those of sources whose kernels are all
// compiled out about 8 KB.
bool is_surely_empty(const ByteSource& source, const CodeObject& o) {
  if (o.kind != CodeKind::elf || o.size > kLargestEmptyCubin) return false;
  auto bytes = unpack(source, o, kLargestEmptyCubin);
  if (!bytes) return false;
  Memory memory(source.name(), *bytes);
  auto elf = read_elf(memory);
  auto cubin = elf ? describe_cubin(memory, *elf) : std::unexpected(elf.error());
  return cubin && !cubin->has_code;
}

FileKind kind_of_bytes(std::string_view start) {
  if (is_elf(start)) return kind_of_elf(start);
  if (is_archive(start)) return FileKind::static_archive;
  if (start.starts_with(kFatbinMagicBytes)) return FileKind::fatbin;
  if (start.starts_with(kOffloadBundle)) return FileKind::other_vendor;
  return parse_ptx_header(start) ? FileKind::ptx : FileKind::no_binary;
}

Result<Listing> list(const ByteSource& source) {
  std::string buffer(kStart, '\0');
  auto start = source.some(0, buffer);
  if (!start) return std::unexpected(start.error());
  Listing out;
  out.kind = kind_of_bytes(*start);
  Lister lister(out);
  Status status;
  switch (out.kind) {
    case FileKind::shared_object:
    case FileKind::object_file:
    case FileKind::cubin:
      status = lister.elf(source, 0, "");
      break;
    case FileKind::static_archive:
      status = lister.members(source);
      break;
    case FileKind::fatbin:
      status = lister.fatbin(source, 0, source.size(), 0, Place::fatbin, "");
      break;
    case FileKind::ptx:
      status = lister.ptx(source, *start);
      break;
    case FileKind::other_vendor:
    case FileKind::no_binary:
      break;
  }
  if (!status) return std::unexpected(status.error());
  return out;
}

Result<Listing> list_file(const std::string& path) {
  auto file = open_file(path);
  if (!file) return std::unexpected(file.error());
  return list(**file);
}

}  // namespace ungate::binary
