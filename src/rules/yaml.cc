#include "rules/yaml.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "base/text.h"

namespace ungate::rules {

struct Yaml::Document {
  std::string file;
  std::optional<Error> error;
};

struct Yaml::Impl {
  YAML::Node node;
  YAML::Mark mark;     // of the node, or of its parent if it is missing
  bool missing = false;
};

namespace {

std::string position(const std::string& file, const YAML::Mark& mark) {
  if (mark.is_null()) return file;
  return file + ':' + std::to_string(mark.line + 1) + ':' + std::to_string(mark.column + 1);
}

// An unquoted scalar that YAML reads as a number, truth value or null.
bool is_plain(const YAML::Node& node) { return node.IsScalar() && node.Tag() != "!"; }

}  // namespace

Result<Yaml> Yaml::parse(std::string_view text, std::string file) {
  Yaml root;
  root.document_ = std::make_shared<Document>();
  root.node_ = std::make_shared<Impl>();
  root.document_->file = file;
  try {
    root.node_->node = YAML::Load(std::string(text));
    root.node_->mark = root.node_->node.Mark();
  } catch (const YAML::Exception& e) {
    return ungate::fail(ErrorCode::bad_rule, "not valid YAML: " + e.msg, position(file, e.mark));
  }
  return root;
}

bool Yaml::exists() const { return node_ && !node_->missing; }
bool Yaml::is_map() const { return exists() && node_->node.IsMap(); }
bool Yaml::is_list() const { return exists() && node_->node.IsSequence(); }
bool Yaml::is_text() const { return exists() && node_->node.IsScalar(); }
bool Yaml::is_null() const { return exists() && node_->node.IsNull(); }

Yaml Yaml::operator[](std::string_view key) const {
  Yaml child;
  child.document_ = document_;
  child.node_ = std::make_shared<Impl>(Impl{{}, node_ ? node_->mark : YAML::Mark::null_mark(), true});
  if (!is_map()) return child;
  const YAML::Node& map = node_->node;
  if (YAML::Node found = map[std::string(key)]; found.IsDefined()) {
    child.node_ = std::make_shared<Impl>(Impl{found, found.Mark(), false});
  }
  return child;
}

std::vector<Yaml> Yaml::items() const {
  std::vector<Yaml> out;
  if (!exists()) return out;
  if (!is_list()) {
    fail("expected a list");
    return out;
  }
  for (const YAML::Node& item : node_->node) {
    Yaml child;
    child.document_ = document_;
    child.node_ = std::make_shared<Impl>(Impl{item, item.Mark(), false});
    out.push_back(std::move(child));
  }
  return out;
}

std::vector<std::pair<std::string, Yaml>> Yaml::entries() const {
  std::vector<std::pair<std::string, Yaml>> out;
  if (!exists()) return out;
  if (!is_map()) {
    fail("expected a map");
    return out;
  }
  for (const auto& entry : node_->node) {
    Yaml child;
    child.document_ = document_;
    child.node_ = std::make_shared<Impl>(Impl{entry.second, entry.second.Mark(), false});
    out.emplace_back(entry.first.as<std::string>(), std::move(child));
  }
  return out;
}

std::string Yaml::text() const {
  if (!is_text()) {
    fail("expected a text");
    return {};
  }
  return node_->node.Scalar();
}

std::string Yaml::text_or(std::string_view otherwise) const {
  return exists() ? text() : std::string(otherwise);
}

std::string Yaml::required(std::string_view key) const {
  Yaml child = (*this)[key];
  if (!child.exists()) {
    fail("'" + std::string(key) + "' is missing");
    return {};
  }
  std::string value = child.text();
  if (value.empty() && child.is_text()) child.fail("'" + std::string(key) + "' is empty");
  return value;
}

std::optional<bool> Yaml::boolean() const {
  bool b = false;
  if (!exists()) return std::nullopt;
  if (is_plain(node_->node) && YAML::convert<bool>::decode(node_->node, b)) return b;
  fail("expected true or false");
  return std::nullopt;
}

std::int64_t Yaml::integer() const {
  std::int64_t n = 0;
  if (!is_text() || !text::parse_int(node_->node.Scalar(), n)) fail("expected a number");
  return n;
}

std::vector<std::string> Yaml::texts() const {
  if (!exists()) return {};
  if (is_text()) return {text()};
  std::vector<std::string> out;
  for (const Yaml& item : items()) out.push_back(item.text());
  return out;
}

value::Constant Yaml::constant() const {
  if (!exists() || is_null()) return std::monostate{};
  if (!is_text()) {
    fail("expected null, a truth value, a number or a text");
    return std::monostate{};
  }
  const std::string& s = node_->node.Scalar();
  if (is_plain(node_->node)) {
    std::int64_t n = 0;
    if (s == "true" || s == "false") return s == "true";
    if (text::parse_int(s, n)) return n;
  }
  return s;
}

void Yaml::allow(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, value] : entries()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    std::string known;
    for (std::string_view k : keys) known += (known.empty() ? "" : ", ") + std::string(k);
    value.fail("unknown key '" + key + "' (known: " + known + ")");
  }
}

void Yaml::fail(std::string what) const {
  if (document_ && !document_->error) document_->error = Error{ErrorCode::bad_rule, std::move(what), where(), {}};
}

std::string Yaml::where() const { return document_ ? position(document_->file, node_->mark) : std::string(); }

Status Yaml::status() const {
  if (document_ && document_->error) return std::unexpected(*document_->error);
  return {};
}

}  // namespace ungate::rules
