// Reading fields of JSON objects with checks: the first field that is missing or of another type is
// remembered, later reads give empty values, and the caller asks once at the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace ungate::patch {

class JsonFields {
 public:
  // `problem` is shared by the readers of one document; it is set once.
  JsonFields(const nlohmann::json& object, std::string path, std::string& problem);

  std::string string(const char* name) const;
  // Absent is an empty text.
  std::string optional_string(const char* name) const;
  std::int64_t number(const char* name) const;
  bool boolean(const char* name) const;
  std::vector<std::string> strings(const char* name) const;
  // A field in plain text, or in hex as `name`_hex.
  std::string bytes(const char* name) const;
  // Calls read(JsonFields) for each object of an array.
  template <class Read>
  void each(const char* name, Read&& read) const {
    const nlohmann::json& list = array(name);
    for (std::size_t i = 0; i < list.size(); ++i) {
      read(JsonFields(list[i], path_ + name + '[' + std::to_string(i) + "].", problem_));
    }
  }

 private:
  const nlohmann::json& field(const char* name) const;
  const nlohmann::json& array(const char* name) const;
  void wrong(const char* name, std::string_view what) const;

  const nlohmann::json& object_;
  std::string path_;
  std::string& problem_;
};

}  // namespace ungate::patch
