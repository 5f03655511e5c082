#include "binary/archive_members.h"

#include <fmt/core.h>

#include "base/text.h"

namespace ungate::binary {
namespace {

constexpr std::string_view kMagic = "!<arch>\n", kThinMagic = "!<thin>\n";
constexpr std::size_t kHeader = 60;
constexpr std::uint64_t kMostNames = 64u << 20, kLongestName = 4096;

std::string_view trimmed(std::string_view field) {
  return field.substr(0, field.find_last_not_of(' ') + 1);
}

std::string gnu_long_name(std::string_view names, std::uint64_t offset) {
  if (offset >= names.size()) return {};
  names.remove_prefix(offset);
  return std::string(names.substr(0, names.find("/\n")));
}

}  // namespace

bool is_archive(std::string_view bytes) {
  return bytes.starts_with(kMagic) || bytes.starts_with(kThinMagic);
}

Result<std::vector<Member>> read_members(const ByteSource& source) {
  std::string header, names;
  if (auto s = source.read(0, kMagic.size(), header); !s) return std::unexpected(s.error());
  if (header == kThinMagic) return source.bad(0, "a thin archive holds no members");
  std::vector<Member> members;
  for (std::uint64_t at = kMagic.size(); at < source.size();) {
    if (auto s = source.read(at, kHeader, header); !s) return std::unexpected(s.error());
    std::string_view h = header;
    std::int64_t size = 0, number = 0;
    if (h.substr(58) != "`\n" || !text::parse_int(trimmed(h.substr(48, 10)), size) || size < 0) {
      return source.bad(at, "a member's header should be here");
    }
    Member m{"", at + kHeader, static_cast<std::uint64_t>(size)};
    if (m.size > source.size() - m.offset) {
      return source.bad(at, fmt::format("a member of {} bytes reaches beyond the end", size));
    }
    at = m.offset + m.size + (m.size & 1);
    std::string_view name = trimmed(h.substr(0, 16));
    if (name == "/" || name == "/SYM64/" || name.starts_with("__.SYMDEF")) continue;
    if (name == "//") {
      if (m.size > kMostNames) return source.bad(m.offset, "the table of names is too long");
      if (auto s = source.read(m.offset, m.size, names); !s) return std::unexpected(s.error());
      continue;
    }
    if (name.starts_with("#1/") && text::parse_int(name.substr(3), number)) {
      auto length = static_cast<std::uint64_t>(number);
      if (length > m.size || length > kLongestName) {
        return source.bad(m.offset, "a member's name is longer than the member");
      }
      if (auto s = source.read(m.offset, length, m.name); !s) return std::unexpected(s.error());
      m.name.resize(std::min(m.name.size(), m.name.find('\0')));
      m.offset += length, m.size -= length;
    } else if (name.starts_with('/') && text::parse_int(name.substr(1), number)) {
      m.name = gnu_long_name(names, static_cast<std::uint64_t>(number));
    } else {
      m.name = name.substr(0, name.find('/'));
    }
    members.push_back(std::move(m));
  }
  return members;
}

}  // namespace ungate::binary
