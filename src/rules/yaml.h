// YAML with positions: every failure names file, line and column. yaml-cpp stays behind this file.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "value/free.h"

namespace ungate::rules {

// A node of a document. Reading a value of the wrong shape records an error and gives an empty value, so
// that a loader reads straight through and asks once at the end; the first error is kept.
class Yaml {
 public:
  // Parses a document; bad_rule with the position if the text is not YAML.
  static Result<Yaml> parse(std::string_view text, std::string file);

  Yaml() = default;
  bool exists() const;
  bool is_map() const;
  bool is_list() const;
  bool is_text() const;
  bool is_null() const;

  Yaml operator[](std::string_view key) const;  // a map's value; does not exist if it is missing
  std::vector<Yaml> items() const;              // of a list; a map or scalar is an error
  std::vector<std::pair<std::string, Yaml>> entries() const;  // of a map, in order

  std::string text() const;                     // a scalar
  std::string text_or(std::string_view otherwise) const;
  std::string required(std::string_view key) const;           // a non-empty text below this map
  std::optional<bool> boolean() const;          // true or false, not quoted
  std::int64_t integer() const;
  std::vector<std::string> texts() const;       // a list of texts, or one text
  value::Constant constant() const;             // null, true, 12, "text"

  // An error unless every key of this map is one of these.
  void allow(std::initializer_list<std::string_view> keys) const;
  void fail(std::string what) const;            // records an error at this node
  std::string where() const;                    // file:line:column

  // The first error recorded anywhere in the document.
  Status status() const;

 private:
  struct Document;
  struct Impl;
  std::shared_ptr<Document> document_;
  std::shared_ptr<Impl> node_;
};

}  // namespace ungate::rules
