#include "package/record.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"

namespace ungate::package {
namespace {

// Reads one CSV record from the left of `text`.
std::vector<std::string> take_record(std::string_view& text) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      fields.back() += text[++i];
    } else if (c == '"' && (quoted || fields.back().empty())) {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      fields.emplace_back();
    } else if (!quoted && (c == '\n' || c == '\r')) {
      break;
    } else {
      fields.back() += c;
    }
  }
  while (i < text.size() && (text[i] == '\n' || text[i] == '\r')) ++i;
  text.remove_prefix(i);
  return fields;
}

std::string folded(std::string_view path) {
  if (path.find("./") == path.npos && path.find("//") == path.npos) return std::string(path);
  return std::filesystem::path(path).lexically_normal().string();
}

int base64url_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '-' ? 62 : c == '_' ? 63 : -1;
}

// Hex of "sha256=<base64>"; empty if it is not that.
std::string sha256_of(std::string_view field) {
  static constexpr char kHex[] = "0123456789abcdef";
  constexpr std::string_view kPrefix = "sha256=";
  if (!field.starts_with(kPrefix)) return {};
  field.remove_prefix(kPrefix.size());
  while (field.ends_with('=')) field.remove_suffix(1);
  std::string hex;
  std::uint32_t buffer = 0;
  int bits = 0;
  for (char c : field) {
    int digit = base64url_digit(c);
    if (digit < 0) return {};
    buffer = buffer << 6 | static_cast<std::uint32_t>(digit);
    for (bits += 6; bits >= 4; bits -= 4) hex += kHex[buffer >> (bits - 4) & 15];
  }
  if (hex.size() != 64) return {};
  return hex;
}

}  // namespace

Record Record::parse(std::string_view text) {
  Record record;
  while (!text.empty()) {
    std::vector<std::string> fields = take_record(text);
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields.size() < 3 || fields[0].empty()) {
      ++record.bad_lines_;
      continue;
    }
    RecordEntry entry{folded(fields[0]), sha256_of(fields[1]), std::nullopt};
    std::int64_t size = 0;
    if (text::parse_int(fields[2], size) && size >= 0) {
      entry.size = static_cast<std::uint64_t>(size);
    }
    record.entries_.push_back(std::move(entry));
  }
  record.sort();
  return record;
}

Record Record::parse_installed_files(std::string_view text, std::string_view metadata) {
  Record record;
  for (std::string_view line : text::lines(text)) {
    line = text::trim(line);
    if (line.empty()) continue;
    std::string path(line);
    if (!line.starts_with('/')) path = folded(std::string(metadata) + '/' + path);
    record.entries_.push_back({path, {}, std::nullopt});
  }
  record.sort();
  return record;
}

const RecordEntry* Record::find(std::string_view path) const {
  auto at = std::ranges::lower_bound(entries_, path, {}, &RecordEntry::path);
  return at != entries_.end() && at->path == path ? &*at : nullptr;
}

void Record::sort() {
  std::ranges::stable_sort(entries_, {}, &RecordEntry::path);
}

}  // namespace ungate::package
