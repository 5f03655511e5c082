#include "binary/fatbin.h"

#include <fmt/core.h>

#include <algorithm>

#include "binary/cubin.h"

namespace ungate::binary {
namespace {

constexpr std::uint16_t kKindPtx = 1, kKindElf = 2, kKindLtoIr = 8;
constexpr std::uint64_t kFlagLz4 = 1u << 13, kFlagZstd = 1u << 15;
constexpr std::uint64_t kFlagExact = 1u << 20, kFlagFamily = 1u << 21;
// Longer headers than these (options of ptxas are in them) do not occur.
constexpr std::uint32_t kLongestHeader = 1u << 20;
// One read brings an entry's header and the ELF header behind it.
constexpr std::size_t kWindow = 192;

CodeKind kind_of(std::uint16_t raw) {
  switch (raw) {
    case kKindPtx:
      return CodeKind::ptx;
    case kKindElf:
      return CodeKind::elf;
    case kKindLtoIr:
      return CodeKind::ltoir;
    default:
      return CodeKind::other;
  }
}

// An uncompressed cubin repeats what it is for.
Status check_payload(const ByteSource& source, std::string_view payload, const CodeObject& object) {
  if (object.kind != CodeKind::elf || object.compression != Compression::none) return {};
  if (payload.size() < kElfHeaderSize) return {};
  auto header = parse_elf_header(source, payload);
  if (!header || header->machine != kMachineCuda) {
    return source.bad(object.offset, "a fatbin entry that should hold a cubin does not");
  }
  std::uint32_t cc = cubin_cc(*header);
  if (cc != object.built.cc) {
    return source.bad(object.offset, fmt::format("a fatbin entry for {} holds a cubin for sm_{}",
                                                 object.built.name(), cc));
  }
  return {};
}

// Skips zeros; gives the offset of the next byte that is not one, rounded down to 8.
Result<std::uint64_t> skip_padding(const ByteSource& source, std::uint64_t at, std::uint64_t end) {
  char buffer[4096];
  while (at < end) {
    auto bytes = source.some(at, std::span(buffer).first(std::min<std::uint64_t>(4096, end - at)));
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->empty()) break;
    std::size_t zeros = bytes->find_first_not_of('\0');
    if (zeros != bytes->npos) return at + zeros / 8 * 8;
    at += bytes->size();
  }
  return end;
}

}  // namespace

Result<Container> parse_container(const ByteSource& source, std::string_view bytes,
                                  std::uint64_t offset, std::uint64_t limit) {
  if (bytes.size() < kContainerHeaderSize || offset > limit ||
      limit - offset < kContainerHeaderSize) {
    return source.bad(offset, "a fatbin header is cut off");
  }
  auto magic = load<std::uint32_t>(bytes, 0);
  if (magic != kFatbinMagic) {
    return source.bad(offset, fmt::format("a fatbin should begin here; found {:#010x}", magic));
  }
  auto version = load<std::uint16_t>(bytes, 4), header = load<std::uint16_t>(bytes, 6);
  auto size = load<std::uint64_t>(bytes, 8);
  if (version != 1) return source.bad(offset, fmt::format("fatbin version {} is unknown", version));
  if (header < kContainerHeaderSize || header > limit - offset || size > limit - offset - header) {
    return source.bad(offset, fmt::format("a fatbin of {} bytes reaches beyond {:#x}, where the "
                                          "bytes for it end",
                                          size, limit));
  }
  return Container{offset, offset + header + size, offset + header};
}

Result<Entry> parse_entry(const ByteSource& source, std::string_view bytes, std::uint64_t offset,
                          std::uint64_t limit) {
  if (bytes.size() < kEntryHeaderSize || limit - offset < kEntryHeaderSize) {
    return source.bad(offset, "the header of a fatbin entry is cut off");
  }
  auto header = load<std::uint32_t>(bytes, 4);
  auto padded = load<std::uint64_t>(bytes, 8);
  auto compressed = load<std::uint32_t>(bytes, 16);
  auto flags = load<std::uint64_t>(bytes, 40);
  if (header < kEntryHeaderSize || header > kLongestHeader || header > limit - offset ||
      padded > limit - offset - header) {
    return source.bad(offset, fmt::format("a fatbin entry of {} + {} bytes reaches beyond its "
                                          "container, which ends at {:#x}",
                                          header, padded, limit));
  }
  if (compressed > padded) {
    return source.bad(
        offset, fmt::format("a fatbin entry holds {} compressed bytes in {}", compressed, padded));
  }
  Entry entry;
  CodeObject& o = entry.object;
  o.raw_kind = load<std::uint16_t>(bytes, 0);
  o.kind = kind_of(o.raw_kind);
  o.minor = load<std::uint16_t>(bytes, 24);
  o.major = load<std::uint16_t>(bytes, 26);
  o.built.cc = load<std::uint32_t>(bytes, 28);
  if ((flags & kFlagExact) != 0) o.built.suffix = arch::Suffix::exact;
  if ((flags & kFlagFamily) != 0) o.built.suffix = arch::Suffix::family;
  if ((flags & kFlagExact) != 0 && (flags & kFlagFamily) != 0) {
    return source.bad(offset + 40, "a fatbin entry is both exact (a) and for a family (f)");
  }
  o.offset = offset + header;
  o.stored = compressed != 0 ? compressed : padded;
  if ((flags & kFlagZstd) != 0) o.compression = Compression::zstd;
  if ((flags & kFlagLz4) != 0) o.compression = Compression::lz4;
  o.size = o.compression == Compression::none ? padded : load<std::uint64_t>(bytes, 56);
  entry.next = o.offset + padded;
  if (bytes.size() > header) {
    std::string_view payload = bytes.substr(header, std::min<std::uint64_t>(padded, bytes.size()));
    if (auto s = check_payload(source, payload, o); !s) return std::unexpected(s.error());
  }
  return entry;
}

Result<Fatbin> read_fatbin(const ByteSource& source, std::uint64_t begin, std::uint64_t end,
                           std::uint32_t first_unit) {
  Fatbin out;
  char buffer[kWindow];
  auto window = [&](std::uint64_t at, std::uint64_t limit) {
    return source.some(at, std::span(buffer).first(std::min<std::uint64_t>(kWindow, limit - at)));
  };
  for (std::uint64_t at = begin;;) {
    auto next = skip_padding(source, at, end);
    if (!next) return std::unexpected(next.error());
    if (*next >= end) return out;
    auto head = window(*next, end);
    if (!head) return std::unexpected(head.error());
    auto container = parse_container(source, *head, *next, end);
    if (!container) return std::unexpected(container.error());
    auto unit = first_unit + static_cast<std::uint32_t>(out.containers.size());
    for (at = container->first; at < container->end;) {
      auto bytes = window(at, container->end);
      if (!bytes) return std::unexpected(bytes.error());
      auto entry = parse_entry(source, *bytes, at, container->end);
      if (!entry) return std::unexpected(entry.error());
      entry->object.unit = unit;
      out.objects.push_back(entry->object);
      at = entry->next;
    }
    out.containers.push_back(*container);
  }
}

}  // namespace ungate::binary
