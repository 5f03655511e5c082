#include "prove/cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/hash.h"

namespace ungate::prove {
namespace {

constexpr std::uint16_t kCudaMachine = 190;
// Attributes of .nv.info: a byte for the format, one for the attribute, two for the size.
constexpr std::uint8_t kSized = 4;
constexpr std::uint8_t kFrameSize = 0x11, kRegisterCount = 0x2f;
// From sm_90 on, a block's shared memory begins with what the system keeps; cubins of newer targets
// count it in each kernel's section.
constexpr std::uint64_t kSystemShared = 0x400;

class Elf {
 public:
  explicit Elf(std::string_view bytes) : bytes_(bytes) {}

  bool read() {
    Elf64_Ehdr header;
    if (!copy(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kCudaMachine) return false;
    if (header.e_shentsize != sizeof(Elf64_Shdr)) return false;
    sections_.resize(header.e_shnum);
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      if (!copy(header.e_shoff + i * sizeof(Elf64_Shdr), sections_[i])) return false;
    }
    if (header.e_shstrndx >= sections_.size()) return false;
    names_ = content(sections_[header.e_shstrndx]);
    return true;
  }

  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  std::string_view name(const Elf64_Shdr& s) const { return text(names_, s.sh_name); }

  // Empty where the section lies outside of the file.
  std::string_view content(const Elf64_Shdr& s) const {
    if (s.sh_type == SHT_NOBITS || s.sh_offset > bytes_.size() || s.sh_size > bytes_.size() - s.sh_offset) return {};
    return bytes_.substr(s.sh_offset, s.sh_size);
  }

  static std::string_view text(std::string_view table, std::size_t at) {
    if (at >= table.size()) return {};
    std::string_view rest = table.substr(at);
    return rest.substr(0, std::min(rest.find('\0'), rest.size()));
  }

  // The names of all symbols, by number.
  std::vector<std::string_view> symbols() const {
    std::vector<std::string_view> out;
    for (const Elf64_Shdr& s : sections_) {
      if (s.sh_type != SHT_SYMTAB || s.sh_link >= sections_.size()) continue;
      std::string_view table = content(s), strings = content(sections_[s.sh_link]);
      for (std::size_t i = 0; i + sizeof(Elf64_Sym) <= table.size(); i += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        std::memcpy(&symbol, table.data() + i, sizeof symbol);
        out.push_back(text(strings, symbol.st_name));
      }
      break;
    }
    return out;
  }

 private:
  template <class T>
  bool copy(std::uint64_t at, T& into) const {
    if (at > bytes_.size() || sizeof(T) > bytes_.size() - at) return false;
    std::memcpy(&into, bytes_.data() + at, sizeof(T));
    return true;
  }

  std::string_view bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::string_view names_;
};

using Kernels = std::map<std::string_view, CubinKernel>;

// The attributes that give a number for each function.
void read_info(std::string_view info, const std::vector<std::string_view>& symbols, Kernels& kernels) {
  auto u32 = [&](std::size_t at) {
    std::uint32_t n = 0;
    std::memcpy(&n, info.data() + at, sizeof n);
    return n;
  };
  for (std::size_t i = 0; i + 4 <= info.size();) {
    auto format = static_cast<std::uint8_t>(info[i]), attribute = static_cast<std::uint8_t>(info[i + 1]);
    if (format != kSized) {
      i += 4;
      continue;
    }
    std::size_t size = u32(i) >> 16;
    if (size == 8 && i + 12 <= info.size()) {
      std::uint32_t symbol = u32(i + 4), value = u32(i + 8);
      auto kernel = symbol < symbols.size() ? kernels.find(symbols[symbol]) : kernels.end();
      if (kernel != kernels.end() && attribute == kRegisterCount) kernel->second.registers = value;
      if (kernel != kernels.end() && attribute == kFrameSize) kernel->second.stack_bytes = value;
    }
    i += 4 + size;
  }
}

}  // namespace

Result<std::vector<CubinKernel>> read_cubin(std::string_view bytes, const std::string& where) {
  Elf elf(bytes);
  if (!elf.read()) return fail(ErrorCode::unreadable, "is no cubin", where);
  constexpr std::string_view kText = ".text.", kShared = ".nv.shared.", kInfo = ".nv.info.";
  // A kernel has attributes of its own; a device function has only code.
  Kernels kernels;
  std::map<std::string_view, std::string_view> code;
  bool reserved = false;
  for (const Elf64_Shdr& s : elf.sections()) {
    std::string_view name = elf.name(s);
    if (name.starts_with(kText)) code[name.substr(kText.size())] = elf.content(s);
    if (name.starts_with(kInfo)) kernels[name.substr(kInfo.size())] = {};
    if (name.starts_with(".nv.shared.reserved")) reserved = true;
  }
  std::erase_if(kernels, [&](const auto& k) { return !code.contains(k.first); });
  std::vector<std::string_view> symbols = elf.symbols();
  for (auto& [name, kernel] : kernels) {
    kernel.name = name;
    kernel.code_bytes = code[name].size();
    kernel.code_hash = hash64(code[name]);
  }
  for (const Elf64_Shdr& s : elf.sections()) {
    std::string_view name = elf.name(s);
    if (name == ".nv.info") read_info(elf.content(s), symbols, kernels);
    if (!name.starts_with(kShared)) continue;
    auto kernel = kernels.find(name.substr(kShared.size()));
    if (kernel == kernels.end()) continue;
    kernel->second.shared_bytes = reserved && s.sh_size >= kSystemShared ? s.sh_size - kSystemShared : s.sh_size;
  }
  std::vector<CubinKernel> out;
  for (auto& [name, kernel] : kernels) out.push_back(std::move(kernel));
  return out;
}

}  // namespace ungate::prove
