#include "binary/cubin.h"

#include <algorithm>

#include "base/text.h"

namespace ungate::binary {
namespace {

constexpr std::uint32_t kNoteToolkit = 2000;
constexpr std::uint64_t kLongestNote = 1u << 20;

// The string at the offset that word `index` of a toolkit note holds.
std::string_view note_string(std::string_view note, std::size_t index) {
  constexpr std::size_t kWords = 6;
  if (note.size() < kWords * 4) return {};
  std::string_view strings = note.substr(kWords * 4);
  auto offset = load<std::uint32_t>(note, index * 4);
  if (offset >= strings.size()) return {};
  strings.remove_prefix(offset);
  return strings.substr(0, strings.find('\0'));
}

// "Cuda compilation tools, release 13.0, V13.0.88" -> "13.0.88"
std::string version_of(std::string_view tool) {
  std::size_t at = tool.rfind(", V");
  return at == tool.npos ? std::string() : std::string(tool.substr(at + 3));
}

// The suffix behind the last "-arch sm_NNN" of a command line, if NNN is the right number.
std::optional<arch::Suffix> suffix_of(std::string_view command, std::uint32_t cc) {
  std::string flag = "-arch sm_" + std::to_string(cc);
  std::size_t at = command.rfind(flag);
  if (at == command.npos) return std::nullopt;
  std::string_view rest = command.substr(at + flag.size());
  char next = rest.empty() ? ' ' : rest.front();
  if (next == 'a') return arch::Suffix::exact;
  if (next == 'f') return arch::Suffix::family;
  return next == ' ' ? std::optional(arch::Suffix::plain) : std::nullopt;
}

void read_notes(std::string_view bytes, Cubin& cubin) {
  for (std::size_t at = 0; bytes.size() - at >= 12;) {
    std::size_t name = load<std::uint32_t>(bytes, at), size = load<std::uint32_t>(bytes, at + 4);
    auto type = load<std::uint32_t>(bytes, at + 8);
    at += 12;
    name = (name + 3) / 4 * 4;
    if (name > bytes.size() - at || size > bytes.size() - at - name) return;
    if (type == kNoteToolkit) {
      std::string_view note = bytes.substr(at + name, size);
      if (auto suffix = suffix_of(note_string(note, 5), cubin.built.cc)) {
        cubin.built.suffix = *suffix;
      }
      cubin.toolkit = version_of(note_string(note, 3));
    }
    at = std::min(at + name + (size + 3) / 4 * 4, bytes.size());
  }
}

// Attributes: u8 format, u8 number, then a u16 value, or for format 4 a u16 size and that many
// bytes.
bool is_exact(std::string_view attributes) {
  for (std::size_t at = 0; attributes.size() - at >= 4;) {
    auto format = static_cast<unsigned char>(attributes[at]);
    auto number = static_cast<unsigned char>(attributes[at + 1]);
    auto value = load<std::uint16_t>(attributes, at + 2);
    if (format == 2 && number == 9) return (value & 0xff) != 0;
    at += 4;
    if (format == 4) at = std::min(at + value, attributes.size());
  }
  return false;
}

}  // namespace

std::uint32_t cubin_cc(const ElfHeader& header) {
  return header.abi_version >= 8 ? header.flags >> 8 & 0xff : header.flags & 0xff;
}

Result<Cubin> describe_cubin(const ByteSource& source, const Elf& elf) {
  Cubin cubin;
  cubin.built.cc = cubin_cc(elf.header);
  std::string bytes;
  auto read = [&](std::string_view name) -> Result<std::string_view> {
    const Section* section = elf.find(name);
    if (section == nullptr || !section->has_bytes()) return std::string_view();
    if (section->size > kLongestNote) return source.bad(section->offset, "a note is too long");
    if (auto s = source.read(section->offset, section->size, bytes); !s) {
      return std::unexpected(s.error());
    }
    return std::string_view(bytes);
  };
  auto notes = read(".note.nv.tkinfo");
  if (!notes) return std::unexpected(notes.error());
  read_notes(*notes, cubin);
  std::uint32_t mark = elf.header.abi_version >= 8 ? 1u << 3 : 1u << 11;
  bool exact = (elf.header.flags & mark) != 0;
  if (!exact) {
    auto attributes = read(".nv.compat");
    if (!attributes) return std::unexpected(attributes.error());
    exact = is_exact(*attributes);
  }
  if (exact) cubin.built.suffix = arch::Suffix::exact;
  cubin.has_code = std::ranges::any_of(
      elf.sections, [](const Section& s) { return s.name.starts_with(".text.") && s.has_bytes(); });
  return cubin;
}

}  // namespace ungate::binary
