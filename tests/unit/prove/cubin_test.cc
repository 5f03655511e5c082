#include "prove/cubin.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

namespace ungate::prove {
namespace {

// A cubin of a few sections, made by hand.
class CubinMaker {
 public:
  void add(const std::string& name, std::string bytes, std::uint32_t type = SHT_PROGBITS, std::uint64_t size = 0, std::uint32_t link = 0) {
    Elf64_Shdr h{};
    h.sh_name = static_cast<std::uint32_t>(names_.size());
    h.sh_type = type;
    h.sh_link = link;
    h.sh_size = type == SHT_NOBITS ? size : bytes.size();
    h.sh_offset = sizeof(Elf64_Ehdr) + data_.size();
    names_ += name + '\0';
    if (type != SHT_NOBITS) data_ += bytes;
    headers_.push_back(h);
  }

  std::string make(std::uint16_t machine = 190) {
    add(".shstrtab", "");
    std::size_t names_at = headers_.size() - 1;
    headers_[names_at].sh_offset = sizeof(Elf64_Ehdr) + data_.size();
    headers_[names_at].sh_size = names_.size();
    data_ += names_;
    Elf64_Ehdr e{};
    std::memcpy(e.e_ident, ELFMAG, SELFMAG);
    e.e_ident[EI_CLASS] = ELFCLASS64;
    e.e_ident[EI_DATA] = ELFDATA2LSB;
    e.e_machine = machine;
    e.e_shentsize = sizeof(Elf64_Shdr);
    e.e_shnum = static_cast<std::uint16_t>(headers_.size());
    e.e_shstrndx = static_cast<std::uint16_t>(names_at);
    e.e_shoff = sizeof e + data_.size();
    std::string out(reinterpret_cast<const char*>(&e), sizeof e);
    out += data_;
    out.append(reinterpret_cast<const char*>(headers_.data()), headers_.size() * sizeof(Elf64_Shdr));
    return out;
  }

 private:
  std::string names_, data_;
  std::vector<Elf64_Shdr> headers_;
};

std::string attribute(std::uint8_t number, std::uint32_t symbol, std::uint32_t value) {
  std::string out{4, static_cast<char>(number), 8, 0};
  out.append(reinterpret_cast<const char*>(&symbol), 4);
  out.append(reinterpret_cast<const char*>(&value), 4);
  return out;
}

std::string sample() {
  CubinMaker m;
  std::string strings = std::string("\0k\0device\0", 10);
  Elf64_Sym symbols[3] = {};
  // Functions, in the sections that are added fifth and sixth below; bit 4 says which is an entry.
  symbols[1] = {1, STT_FUNC, 0x10, 5, 0, 0x180};
  symbols[2] = {3, STT_FUNC, 0, 6, 0, 0x80};
  m.add("", "", SHT_NULL);
  m.add(".strtab", strings);
  m.add(".symtab", std::string(reinterpret_cast<const char*>(symbols), sizeof symbols), SHT_SYMTAB, 0, 1);
  m.add(".nv.info", std::string{2, 0x0a, 0, 0} + attribute(0x2f, 1, 40) + attribute(0x2f, 99, 7));
  m.add(".nv.info.k", "");
  m.add(".text.k", std::string(0x180, 'x'));
  m.add(".text.device", std::string(0x80, 'y'));
  m.add(".nv.shared.k", "", SHT_NOBITS, 0x500);
  m.add(".nv.shared.reserved.0", "", SHT_NOBITS, 0x40);
  return m.make();
}

TEST(Cubin, AKernelWithWhatItTakes) {
  auto kernels = read_cubin(sample(), "x.cubin");
  ASSERT_TRUE(kernels) << to_text(kernels.error());
  ASSERT_EQ(kernels->size(), 1u);  // a device function is no kernel
  const CubinKernel& k = kernels->front();
  EXPECT_EQ(k.name, "k");
  EXPECT_EQ(k.code_bytes, 0x180u);
  EXPECT_EQ(k.registers, 40u);
  EXPECT_NE(k.code_hash, 0u);
  EXPECT_EQ(k.shared_bytes, 0x100u);  // the system's 1 KB is not its own
}

TEST(Cubin, OtherFilesAreRefused) {
  EXPECT_FALSE(read_cubin("", "x"));
  EXPECT_FALSE(read_cubin("#!/bin/sh", "x"));
  CubinMaker host;
  EXPECT_FALSE(read_cubin(host.make(EM_X86_64), "x"));
}

TEST(Cubin, CutShortAnywhereItIsRefusedOrReadInPart) {
  std::string whole = sample();
  for (std::size_t n = 0; n < whole.size(); n += 7) {
    auto kernels = read_cubin(whole.substr(0, n), "x");
    EXPECT_FALSE(kernels) << n;  // the section headers stand at the end
  }
}

TEST(Cubin, OffsetsBeyondTheFileAreNoContent) {
  std::string bytes = sample();
  Elf64_Ehdr e;
  std::memcpy(&e, bytes.data(), sizeof e);
  for (std::size_t i = 0; i < e.e_shnum; ++i) {
    std::string broken = bytes;
    std::uint64_t far = ~std::uint64_t{0} - 8;
    std::memcpy(broken.data() + e.e_shoff + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset), &far, sizeof far);
    auto kernels = read_cubin(broken, "x");
    if (kernels) {
      EXPECT_LE(kernels->size(), 1u);
    }
  }
}

}  // namespace
}  // namespace ungate::prove
