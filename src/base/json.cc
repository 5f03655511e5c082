#include "base/json.h"

namespace ungate {
namespace {

// Appends one UTF-8 sequence of s at i, or the replacement character; returns the bytes consumed.
std::size_t append_utf8(std::string& out, std::string_view s, std::size_t i) {
  auto byte = [&](std::size_t k) { return static_cast<unsigned char>(s[k]); };
  unsigned char b = byte(i);
  std::size_t n = b < 0x80 ? 1 : (b >= 0xc2 && b < 0xe0) ? 2 : (b >> 4) == 14 ? 3 : (b >= 0xf0 && b < 0xf5) ? 4 : 0;
  bool valid = n != 0 && i + n <= s.size();
  for (std::size_t k = 1; valid && k < n; ++k) valid = (byte(i + k) & 0xc0) == 0x80;
  // Overlong forms, surrogates and code points past U+10FFFF.
  if (valid && n == 3) valid = !(b == 0xe0 && byte(i + 1) < 0xa0) && !(b == 0xed && byte(i + 1) > 0x9f);
  if (valid && n == 4) valid = !(b == 0xf0 && byte(i + 1) < 0x90) && !(b == 0xf4 && byte(i + 1) > 0x8f);
  if (!valid) {
    out += "\xef\xbf\xbd";
    return 1;
  }
  out.append(s, i, n);
  return n;
}

}  // namespace

JsonWriter& JsonWriter::open(char bracket) {
  before_value();
  out_ += bracket;
  has_items_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  bool had = has_items_.back();
  has_items_.pop_back();
  if (had) newline();
  out_ += bracket;
  return *this;
}

void JsonWriter::newline() {
  if (indent_ == 0) return;
  out_ += '\n';
  out_.append(has_items_.size() * static_cast<std::size_t>(indent_), ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) out_ += indent_ == 0 ? ", " : ",";
  has_items_.back() = true;
  newline();
}

JsonWriter& JsonWriter::key(std::string_view name) {
  string(name);
  out_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view s) {
  static constexpr char kHex[] = "0123456789abcdef";
  before_value();
  out_ += '"';
  for (std::size_t i = 0; i < s.size();) {
    auto c = static_cast<unsigned char>(s[i]);
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += s[i++];
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out_ += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
      ++i;
    } else if (c < 0x20 || c == 0x7f) {
      out_ += "\\u00";
      out_ += kHex[c >> 4];
      out_ += kHex[c & 15];
      ++i;
    } else {
      i += append_utf8(out_, s, i);
    }
  }
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::number(std::int64_t n) { return raw(std::to_string(n)); }
JsonWriter& JsonWriter::boolean(bool b) { return raw(b ? "true" : "false"); }
JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::texts(std::string_view name, const std::vector<std::string>& all) {
  key(name).begin_array();
  for (const std::string& t : all) string(t);
  return end_array();
}

}  // namespace ungate
