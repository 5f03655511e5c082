#include "binary/elf.h"

#include <fmt/core.h>

#include <algorithm>

namespace ungate::binary {
namespace {

// A table of more sections than any file met so far by far (a cubin has five a kernel).
constexpr std::uint64_t kMostSections = 1u << 20;
constexpr std::uint64_t kMostNames = 256u << 20;

Section parse_section(std::string_view bytes, std::size_t at) {
  Section s;
  s.type = load<std::uint32_t>(bytes, at + 4);
  s.flags = load<std::uint64_t>(bytes, at + 8);
  s.address = load<std::uint64_t>(bytes, at + 16);
  s.offset = load<std::uint64_t>(bytes, at + 24);
  s.size = load<std::uint64_t>(bytes, at + 32);
  s.link = load<std::uint32_t>(bytes, at + 40);
  s.info = load<std::uint32_t>(bytes, at + 44);
  s.entry_size = load<std::uint64_t>(bytes, at + 56);
  return s;
}

bool is_inside(const Section& s, std::uint64_t size) {
  return !s.has_bytes() || (s.offset <= size && s.size <= size - s.offset);
}

// The counts of the header, or section 0 where they do not fit into it.
Status find_counts(const ByteSource& source, const ElfHeader& header, std::uint64_t& count,
                   std::uint64_t& names) {
  count = header.count, names = header.names;
  if (count != 0 && names != 0xffff) return {};
  std::string bytes;
  if (auto s = source.read(header.table, kSectionHeaderSize, bytes); !s) return s;
  Section first = parse_section(bytes, 0);
  if (count == 0) count = first.size;
  if (names == 0xffff) names = first.link;
  return {};
}

std::string_view name_at(std::string_view names, std::uint32_t offset) {
  if (offset >= names.size()) return {};
  std::string_view rest = names.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

const Section* Elf::find(std::string_view name) const {
  auto found = std::ranges::find(sections, name, &Section::name);
  return found == sections.end() ? nullptr : &*found;
}

bool is_elf(std::string_view bytes) {
  return bytes.starts_with(kElfMagic);
}

Result<ElfHeader> parse_elf_header(const ByteSource& source, std::string_view bytes) {
  if (!is_elf(bytes)) return source.bad(0, "not an ELF file");
  if (bytes.size() < kElfHeaderSize) return source.bad(bytes.size(), "the ELF header is cut off");
  if (bytes[4] != 2 || bytes[5] != 1) {
    return source.bad(4, "an ELF file that is not 64 bit and little-endian is not read");
  }
  ElfHeader h;
  h.os_abi = static_cast<std::uint8_t>(bytes[7]);
  h.abi_version = static_cast<std::uint8_t>(bytes[8]);
  h.type = load<std::uint16_t>(bytes, 16);
  h.machine = load<std::uint16_t>(bytes, 18);
  h.table = load<std::uint64_t>(bytes, 40);
  h.flags = load<std::uint32_t>(bytes, 48);
  h.count = load<std::uint16_t>(bytes, 60);
  h.names = load<std::uint16_t>(bytes, 62);
  if (h.table != 0 && load<std::uint16_t>(bytes, 58) != kSectionHeaderSize) {
    return source.bad(58, "section headers do not have 64 bytes");
  }
  return h;
}

Result<Elf> read_elf(const ByteSource& source) {
  char start[kElfHeaderSize];
  auto head = source.some(0, start);
  if (!head) return std::unexpected(head.error());
  auto header = parse_elf_header(source, *head);
  if (!header) return std::unexpected(header.error());
  Elf elf;
  elf.header = *header;
  elf.names = std::make_unique<std::string>();
  if (header->table == 0) return elf;

  std::uint64_t count = 0, names = 0;
  if (auto s = find_counts(source, *header, count, names); !s) return std::unexpected(s.error());
  if (count > kMostSections) {
    return source.bad(60, fmt::format("{} sections are more than any file has", count));
  }
  std::string table;
  if (auto s = source.read(header->table, count * kSectionHeaderSize, table); !s) {
    return std::unexpected(s.error());
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    std::size_t at = i * kSectionHeaderSize;
    elf.sections.push_back(parse_section(table, at));
    if (!is_inside(elf.sections.back(), source.size())) {
      return source.bad(header->table + at, fmt::format("section {} reaches beyond the end", i));
    }
  }
  if (names >= count) return source.bad(62, "the section of names does not exist");
  const Section& named = elf.sections[names];
  if (named.has_bytes()) {
    if (named.size > kMostNames) return source.bad(named.offset, "too many section names");
    if (auto s = source.read(named.offset, named.size, *elf.names); !s) {
      return std::unexpected(s.error());
    }
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    auto offset = load<std::uint32_t>(table, i * kSectionHeaderSize);
    elf.sections[i].name = name_at(*elf.names, offset);
  }
  return elf;
}

}  // namespace ungate::binary
