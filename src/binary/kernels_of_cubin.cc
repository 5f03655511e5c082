// Kernels in a cubin. A kernel NAME is a symbol of type 2 (function) whose `other` has bit 4 (an
// entry); its code is section .text.NAME, its static shared memory .nv.shared.NAME. Registers:
// .nv.info holds attributes (format u8, number u8, then for format 4 a u16 size and the bytes), of
// which number 0x2f is a pair of symbol index and count; before ABI version 8 the section's info
// has the count in its upper 8 bits too. Measured against `cuobjdump -elf` and `-res-usage`.
#include <fmt/core.h>

#include <map>
#include <unordered_map>

#include "binary/cubin.h"
#include "binary/kernels.h"
#include "binary/sass.h"

namespace ungate::binary {
namespace {

constexpr std::size_t kSymbol = 24;
constexpr unsigned kFunction = 2, kEntryBit = 0x10;
constexpr std::uint8_t kRegisters = 0x2f, kSized = 4;
constexpr std::uint32_t kUndefined = 0;

std::map<std::uint32_t, std::uint32_t> registers_by_symbol(std::string_view info) {
  std::map<std::uint32_t, std::uint32_t> out;
  for (std::size_t at = 0; info.size() - at >= 4;) {
    auto format = static_cast<std::uint8_t>(info[at]),
         number = static_cast<std::uint8_t>(info[at + 1]);
    std::size_t size = format == kSized ? load<std::uint16_t>(info, at + 2) : 0;
    at += 4;
    if (size > info.size() - at) break;
    if (format == kSized && number == kRegisters && size >= 8) {
      out[load<std::uint32_t>(info, at)] = load<std::uint32_t>(info, at + 4);
    }
    at += size;
  }
  return out;
}

class Reader {
 public:
  Reader(const ByteSource& cubin, const Elf& elf) : cubin_(cubin), elf_(elf) {}

  Result<std::vector<NamedKernel>> run() {
    const Section* symbols = find_type(kSectionSymbols);
    if (symbols == nullptr || !symbols->has_bytes()) return std::move(out_);
    if (symbols->link >= elf_.sections.size()) {
      return cubin_.bad(symbols->offset, "the symbols' names are nowhere");
    }
    std::string table, names, info;
    for (auto [section, into] :
         {std::pair(symbols, &table), std::pair(&elf_.sections[symbols->link], &names),
          std::pair(elf_.find(".nv.info"), &info)}) {
      if (section == nullptr || !section->has_bytes()) continue;
      if (auto s = cubin_.read(section->offset, section->size, *into); !s) {
        return std::unexpected(s.error());
      }
    }
    registers_ = registers_by_symbol(info);
    for (const Section& s : elf_.sections) {
      if (s.name.starts_with(".nv.shared.")) shared_.emplace(s.name.substr(11), s.size);
    }
    for (std::uint32_t i = 0; (i + 1) * kSymbol <= table.size(); ++i) {
      std::string_view symbol = std::string_view(table).substr(i * kSymbol, kSymbol);
      if (auto s = add(i, symbol, names); !s) return std::unexpected(s.error());
    }
    return std::move(out_);
  }

 private:
  const Section* find_type(std::uint32_t type) const {
    for (const Section& s : elf_.sections) {
      if (s.type == type) return &s;
    }
    return nullptr;
  }

  Status add(std::uint32_t index, std::string_view symbol, std::string_view names) {
    auto type = static_cast<unsigned char>(symbol[4]) & 0xf;
    auto other = static_cast<unsigned char>(symbol[5]);
    std::uint32_t section = load<std::uint16_t>(symbol, 6);
    // More sections than 16 bits count: the index would be in a table of its own. The name leads
    // there.
    if (type != kFunction || (other & kEntryBit) == 0 || section == kUndefined) return {};
    auto offset = load<std::uint32_t>(symbol, 0);
    if (offset >= names.size()) return cubin_.bad(0, "a symbol's name is nowhere");
    std::string_view name = names.substr(offset);
    name = name.substr(0, name.find('\0'));
    NamedKernel k;
    k.name = name;
    const Section* code = code_of(section, name);
    if (code != nullptr) {
      // Kernels do not share code: symbols that all claim the same large section are no cubin's.
      code_read_ += code->size;
      if (code_read_ > 2 * cubin_.size()) {
        return cubin_.bad(code->offset, "more code is claimed by symbols than there is");
      }
      if (auto s = cubin_.read(code->offset, code->size, code_); !s) return s;
      CodeTraits traits = traits_of(code_);
      k.image.code = code->size;
      k.image.empty = traits.empty;
      k.image.trap = traits.trap;
      k.traps = traits.traps, k.matrix = traits.matrix;
      k.image.registers = registers(index, *code);
    }
    if (auto found = shared_.find(name); found != shared_.end()) k.image.shared = found->second;
    out_.push_back(std::move(k));
    return {};
  }

  const Section* code_of(std::uint32_t index, std::string_view name) const {
    constexpr std::uint32_t kReserved = 0xff00;
    if (index < kReserved && index < elf_.sections.size()) {
      const Section& s = elf_.sections[index];
      return s.has_bytes() ? &s : nullptr;
    }
    const Section* s = elf_.find(".text." + std::string(name));
    return s != nullptr && s->has_bytes() ? s : nullptr;
  }

  std::uint32_t registers(std::uint32_t symbol, const Section& code) const {
    if (auto found = registers_.find(symbol); found != registers_.end()) return found->second;
    return elf_.header.abi_version < 8 ? code.info >> 24 : 0;
  }

  const ByteSource& cubin_;
  const Elf& elf_;
  std::map<std::uint32_t, std::uint32_t> registers_;
  std::unordered_map<std::string_view, std::uint64_t> shared_;
  std::string code_;
  std::uint64_t code_read_ = 0;
  std::vector<NamedKernel> out_;
};

}  // namespace

Result<std::vector<NamedKernel>> kernels_of_cubin(const ByteSource& cubin) {
  auto elf = read_elf(cubin);
  if (!elf) return std::unexpected(elf.error());
  if (elf->header.machine != kMachineCuda) return cubin.bad(18, "not a cubin");
  return Reader(cubin, *elf).run();
}

}  // namespace ungate::binary
