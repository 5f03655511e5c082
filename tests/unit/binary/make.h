// Makes small binaries, byte by byte, so that tests can lie in any field.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace ungate::binary::make {

template <class T>
void put(std::string& s, std::size_t offset, T value) {
  if (s.size() < offset + sizeof value) s.resize(offset + sizeof value, '\0');
  std::memcpy(s.data() + offset, &value, sizeof value);
}

inline void pad(std::string& s, std::size_t to) {
  s.resize((s.size() + to - 1) / to * to, '\0');
}

struct Section {
  std::string name, bytes;
  std::uint32_t type = 1, link = 0, info = 0;
  std::uint64_t entry_size = 0;
};

struct ElfKind {
  std::uint16_t type = 3, machine = 62;
  std::uint32_t flags = 0;
  std::uint8_t os_abi = 0, abi_version = 0;
};

// An ELF file: header, sections in order, their names, section table.
inline std::string elf(const std::vector<Section>& sections, ElfKind kind = {}) {
  std::string out(
      "\x7f"
      "ELF\x02\x01\x01",
      7);
  put<std::uint8_t>(out, 7, kind.os_abi);
  put<std::uint8_t>(out, 8, kind.abi_version);
  put<std::uint16_t>(out, 16, kind.type);
  put<std::uint16_t>(out, 18, kind.machine);
  put<std::uint32_t>(out, 48, kind.flags);
  put<std::uint16_t>(out, 52, 64);
  put<std::uint16_t>(out, 58, 64);
  put<std::uint16_t>(out, 60, static_cast<std::uint16_t>(sections.size() + 2));
  put<std::uint16_t>(out, 62, static_cast<std::uint16_t>(sections.size() + 1));
  std::string names(1, '\0'), table(64, '\0');
  auto add = [&](const Section& s) {
    std::size_t at = table.size();
    pad(out, 8);
    put<std::uint32_t>(table, at, static_cast<std::uint32_t>(names.size()));
    put<std::uint32_t>(table, at + 4, s.type);
    put<std::uint64_t>(table, at + 24, out.size());
    put<std::uint64_t>(table, at + 32, s.bytes.size());
    put<std::uint32_t>(table, at + 40, s.link);
    put<std::uint32_t>(table, at + 44, s.info);
    put<std::uint64_t>(table, at + 56, s.entry_size);
    names += s.name + '\0';
    out += s.bytes;
  };
  for (const Section& s : sections) add(s);
  Section last{"", "", 3};
  std::string own_name = ".shstrtab";
  last.name = own_name;
  last.bytes = names + own_name + '\0';
  add(last);
  pad(out, 8);
  put<std::uint64_t>(out, 40, out.size());
  return out + table;
}

// The flags of cubins as toolkit 13 writes them.
inline ElfKind cubin_kind(std::uint32_t cc) {
  return {2, 190, 0x06000002 | cc << 8, 65, 8};
}

// A cubin with a kernel, or without.
inline std::string cubin(std::uint32_t cc, bool kernel = true) {
  std::vector<Section> sections;
  if (kernel) sections.push_back({".text.k", std::string(256, '\x11')});
  return elf(sections, cubin_kind(cc));
}

inline constexpr std::uint64_t kLz4 = 1u << 13, kZstd = 1u << 15, kExact = 1u << 20,
                               kFamily = 1u << 21;

struct Entry {
  std::uint16_t kind = 2;
  std::uint32_t cc = 90;
  std::uint64_t flags = 0;
  std::string payload;
  std::uint64_t size = 0;  // when decompressed; 0 unless a flag for compression is set
  std::uint32_t header = 64;
};

inline std::string entry(const Entry& e) {
  std::string out;
  bool packed = (e.flags & (kLz4 | kZstd)) != 0;
  put<std::uint16_t>(out, 0, e.kind);
  put<std::uint16_t>(out, 2, 0x0101);
  put<std::uint32_t>(out, 4, e.header);
  put<std::uint64_t>(out, 8, (e.payload.size() + 7) / 8 * 8);
  put<std::uint32_t>(out, 16, packed ? static_cast<std::uint32_t>(e.payload.size()) : 0);
  put<std::uint16_t>(out, 24, 8);
  put<std::uint16_t>(out, 26, 1);
  put<std::uint32_t>(out, 28, e.cc);
  put<std::uint64_t>(out, 40, e.flags | 0x11);
  put<std::uint64_t>(out, 56, e.size);
  out.resize(e.header, '\0');
  out += e.payload;
  pad(out, 8);
  return out;
}

inline std::string fatbin(const std::vector<std::string>& entries) {
  std::string out, body;
  for (const std::string& e : entries) body += e;
  put<std::uint32_t>(out, 0, 0xba55ed50);
  put<std::uint16_t>(out, 4, 1);
  put<std::uint16_t>(out, 6, 16);
  put<std::uint64_t>(out, 8, body.size());
  return out + body;
}

inline std::string sass(std::uint32_t cc, std::uint64_t suffix = 0) {
  return entry({2, cc, suffix, cubin(cc)});
}
inline std::string ptx(std::uint32_t cc, std::uint64_t suffix = 0) {
  return entry({1, cc, suffix, "\n.version 8.8\n.target sm_" + std::to_string(cc) + "\n"});
}

}  // namespace ungate::binary::make
