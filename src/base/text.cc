#include "base/text.h"

#include <charconv>

namespace ungate::text {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

// Length of the UTF-8 sequence at s[i] and its code point, or 0 if it is not valid.
std::size_t decode(std::string_view s, std::size_t i, std::uint32_t& code) {
  auto byte = [&](std::size_t k) { return static_cast<std::uint8_t>(s[k]); };
  std::uint8_t b = byte(i);
  std::size_t n = b < 0x80 ? 1 : (b >> 5) == 6 ? 2 : (b >> 4) == 14 ? 3 : (b >> 3) == 30 ? 4 : 0;
  if (n == 0 || i + n > s.size()) return 0;
  static constexpr std::uint32_t kLead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  code = b & kLead[n];
  for (std::size_t k = 1; k < n; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i + k) & 0x3f);
  }
  if (code < kLeast[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
  return n;
}

// Code points that change how the text around them is shown.
bool is_hidden(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) || c == 0x2028 ||
         c == 0x2029 || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

constexpr char kHex[] = "0123456789abcdef";

}  // namespace

std::string_view trim(std::string_view s) {
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

std::vector<std::string_view> split(std::string_view s, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    std::size_t at = s.find(separator);
    parts.push_back(s.substr(0, at));
    if (at == std::string_view::npos) return parts;
    s.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> lines(std::string_view s) {
  std::vector<std::string_view> out;
  while (!s.empty()) {
    std::size_t at = s.find('\n');
    std::string_view line = s.substr(0, at);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    out.push_back(line);
    if (at == std::string_view::npos) break;
    s.remove_prefix(at + 1);
  }
  return out;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty() || &part != parts.data()) out += separator;
    out += part;
  }
  return out;
}

std::string replace_all(std::string s, std::string_view from, std::string_view to) {
  if (from.empty()) return s;
  for (std::size_t at = s.find(from); at != std::string::npos; at = s.find(from, at + to.size())) {
    s.replace(at, from.size(), to);
  }
  return s;
}

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool contains_word(std::string_view s, std::string_view word) {
  for (std::size_t at = s.find(word); at != std::string_view::npos; at = s.find(word, at + 1)) {
    bool left = at == 0 || !is_identifier_part(s[at - 1]);
    bool right = at + word.size() == s.size() || !is_identifier_part(s[at + word.size()]);
    if (left && right) return true;
  }
  return false;
}

std::string escape(std::string_view s) {
  std::string out;
  out.reserve(s.size());
  for (std::size_t i = 0; i < s.size();) {
    std::uint32_t code = 0;
    std::size_t n = decode(s, i, code);
    if (n == 0) {
      auto byte = static_cast<std::uint8_t>(s[i++]);
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
      continue;
    }
    if (!is_hidden(code)) {
      out.append(s, i, n);
    } else if (code == '\n') {
      out += "\\n";
    } else if (code == '\t') {
      out += "\\t";
    } else if (code < 0x80) {
      out += "\\x";
      out += kHex[code >> 4];
      out += kHex[code & 15];
    } else {
      char digits[8];
      auto end = std::to_chars(digits, digits + sizeof digits, code, 16).ptr;
      out += "\\u{";
      out.append(digits, end);
      out += '}';
    }
    i += n;
  }
  return out;
}

std::string one_line(std::string_view s, std::size_t limit) {
  std::string out;
  std::size_t characters = 0;
  bool gap = false;
  s = trim(s);
  for (std::size_t i = 0; i < s.size();) {
    if (is_space(s[i])) {
      gap = true;
      ++i;
      continue;
    }
    std::uint32_t code = 0;
    std::size_t n = decode(s, i, code);
    if (n == 0) n = 1;
    std::size_t wanted = gap ? 2 : 1;
    if (characters + wanted > limit || (characters + wanted == limit && i + n < s.size())) {
      out += "…";
      return out;
    }
    if (gap) out += ' ';
    gap = false;
    out.append(s, i, n);
    characters += wanted;
    i += n;
  }
  return out;
}

bool parse_int(std::string_view s, std::int64_t& out) {
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), out);
  return error == std::errc() && end == s.data() + s.size() && !s.empty();
}

std::string count(std::size_t n, std::string_view singular, std::string_view plural) {
  std::string out = std::to_string(n) + ' ';
  if (n == 1) return out += singular;
  return plural.empty() ? out.append(singular) + 's' : out.append(plural);
}

// The first and the last part of a pattern hold the ends of the text; those between are sought from the left.
bool fits(std::string_view pattern, std::string_view text) {
  std::size_t first = pattern.find('*');
  std::size_t last = pattern.rfind('*');
  if (first == std::string_view::npos) return pattern == text;
  std::string_view start = pattern.substr(0, first);
  std::string_view end = pattern.substr(last + 1);
  if (text.size() < start.size() + end.size() || !text.starts_with(start) || !text.ends_with(end)) return false;
  text = text.substr(start.size(), text.size() - start.size() - end.size());
  for (std::size_t star = first; star < last;) {
    std::size_t next = pattern.find('*', star + 1);
    std::string_view part = pattern.substr(star + 1, next - star - 1);
    std::size_t found = text.find(part);
    if (found == std::string_view::npos) return false;
    text.remove_prefix(found + part.size());
    star = next;
  }
  return true;
}

}  // namespace ungate::text
