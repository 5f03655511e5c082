// A writer for JSON output. It keeps the order of calls, escapes every string (bytes that are not
// UTF-8 become U+FFFD) and places the commas. Reading is nlohmann/json's job, where it is needed.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ungate {

class JsonWriter {
 public:
  // indent 0 writes one line.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& string(std::string_view s);
  JsonWriter& number(std::int64_t n);
  JsonWriter& boolean(bool b);
  JsonWriter& null();
  // A value that is JSON already.
  JsonWriter& raw(std::string_view json);

  // key + value; an empty string_or_null is null.
  JsonWriter& field(std::string_view name, std::string_view s) { return key(name).string(s); }
  JsonWriter& field(std::string_view name, const char* s) { return key(name).string(s); }
  JsonWriter& field(std::string_view name, bool b) { return key(name).boolean(b); }
  template <std::integral Int>
    requires(!std::same_as<Int, bool>)
  JsonWriter& field(std::string_view name, Int n) {
    return key(name).number(static_cast<std::int64_t>(n));
  }
  JsonWriter& string_or_null(std::string_view name, std::string_view s) {
    return s.empty() ? key(name).null() : key(name).string(s);
  }

  // A list of strings under a key.
  JsonWriter& texts(std::string_view name, const std::vector<std::string>& all);

  const std::string& text() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void before_value();
  void newline();

  std::string out_;
  std::vector<bool> has_items_;  // one a nesting level
  int indent_;
  bool after_key_ = false;
};

}  // namespace ungate
