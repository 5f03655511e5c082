#include "binary/ptx.h"

#include "base/text.h"

namespace ungate::binary {
namespace {

// The text behind white space and comments.
std::string_view skip_blank(std::string_view text) {
  for (;;) {
    std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == text.npos) return {};
    text.remove_prefix(start);
    std::string_view end = text.starts_with("//") ? "\n" : text.starts_with("/*") ? "*/" : "";
    if (end.empty()) return text;
    std::size_t close = text.find(end, 2);
    if (close == text.npos) return {};
    text.remove_prefix(close + end.size());
  }
}

// The word behind a directive, which is removed from the text.
std::optional<std::string_view> take(std::string_view& text, std::string_view directive) {
  text = skip_blank(text);
  if (!text.starts_with(directive)) return std::nullopt;
  text.remove_prefix(directive.size());
  std::size_t start = text.find_first_not_of(" \t");
  if (start == 0 || start == text.npos) return std::nullopt;
  text.remove_prefix(start);
  std::size_t end = text.find_first_of(" \t\r\n,/");
  if (end == text.npos) return std::nullopt;
  std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

}  // namespace

std::optional<PtxHeader> parse_ptx_header(std::string_view text) {
  auto version = take(text, ".version"), target = take(text, ".target");
  if (!version || !target || !target->starts_with("sm_")) return std::nullopt;
  PtxHeader header;
  std::int64_t major = 0, minor = 0, cc = 0;
  auto parts = text::split(*version, '.');
  if (parts.size() != 2 || !text::parse_int(parts[0], major) || !text::parse_int(parts[1], minor)) {
    return std::nullopt;
  }
  target->remove_prefix(3);
  if (target->ends_with('a')) header.built.suffix = arch::Suffix::exact;
  if (target->ends_with('f')) header.built.suffix = arch::Suffix::family;
  if (header.built.suffix != arch::Suffix::plain) target->remove_suffix(1);
  if (!text::parse_int(*target, cc) || cc <= 0 || cc > 9999) return std::nullopt;
  header.built.cc = static_cast<std::uint32_t>(cc);
  header.major = static_cast<std::uint16_t>(major);
  header.minor = static_cast<std::uint16_t>(minor);
  return header;
}

}  // namespace ungate::binary
