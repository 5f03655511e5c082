#include "patch/json_fields.h"

#include <fmt/core.h>

namespace ungate::patch {
namespace {

const nlohmann::json kNothing;

int hex_digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

JsonFields::JsonFields(const nlohmann::json& object, std::string path, std::string& problem)
    : object_(object), path_(std::move(path)), problem_(problem) {
  if (!object_.is_object()) wrong("", "is not an object");
}

const nlohmann::json& JsonFields::field(const char* name) const {
  if (!object_.is_object()) return kNothing;
  auto at = object_.find(name);
  return at == object_.end() ? kNothing : *at;
}

void JsonFields::wrong(const char* name, std::string_view what) const {
  if (problem_.empty()) problem_ = fmt::format("'{}{}' {}", path_, name, what);
}

std::string JsonFields::string(const char* name) const {
  const nlohmann::json& value = field(name);
  if (value.is_string()) return value.get<std::string>();
  wrong(name, "is missing or no text");
  return {};
}

std::string JsonFields::optional_string(const char* name) const {
  return field(name).is_null() ? std::string() : string(name);
}

std::int64_t JsonFields::number(const char* name) const {
  const nlohmann::json& value = field(name);
  if (value.is_number_integer()) return value.get<std::int64_t>();
  wrong(name, "is missing or no whole number");
  return 0;
}

bool JsonFields::boolean(const char* name) const {
  const nlohmann::json& value = field(name);
  if (value.is_boolean()) return value.get<bool>();
  wrong(name, "is missing or not true or false");
  return false;
}

const nlohmann::json& JsonFields::array(const char* name) const {
  static const nlohmann::json kEmpty = nlohmann::json::array();
  const nlohmann::json& value = field(name);
  if (value.is_array()) return value;
  wrong(name, "is missing or no list");
  return kEmpty;
}

std::vector<std::string> JsonFields::strings(const char* name) const {
  std::vector<std::string> out;
  for (const nlohmann::json& value : array(name)) {
    if (!value.is_string()) {
      wrong(name, "holds something that is no text");
      break;
    }
    out.push_back(value.get<std::string>());
  }
  return out;
}

std::string JsonFields::bytes(const char* name) const {
  std::string hex_name = std::string(name) + "_hex";
  if (field(hex_name.c_str()).is_null()) return string(name);
  std::string hex = string(hex_name.c_str()), out;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    int high = hex_digit(hex[i]), low = i + 1 < hex.size() ? hex_digit(hex[i + 1]) : -1;
    if (high < 0 || low < 0) {
      wrong(hex_name.c_str(), "is not hexadecimal");
      return {};
    }
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

}  // namespace ungate::patch
