#include "python/uses.h"

#include <cstring>

#include "base/text.h"

namespace ungate::python {
namespace {

std::size_t before_blanks(std::string_view text, std::size_t end) {
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\n')) --end;
  return end;
}

// The identifier that ends at the dot, or empty when it is not one ("f().name", "a[0].name").
std::string_view base_before(std::string_view text, std::size_t dot) {
  std::size_t begin = dot;
  while (begin > 0 && text::is_identifier_part(text[begin - 1])) --begin;
  return text.substr(begin, dot - begin);
}

Use use_at(std::string_view text, std::size_t begin, std::size_t end) {
  Use out;
  out.begin = static_cast<std::uint32_t>(begin);
  out.defines = begin >= 4 && text.substr(begin - 4, 4) == "def ";
  while (end < text.size() && text[end] == ' ') ++end;
  out.keyword = end + 1 < text.size() && text[end] == '=' && text[end + 1] != '=';
  std::size_t before = before_blanks(text, begin);
  out.attribute = before > 0 && text[before - 1] == '.';
  if (out.attribute) out.base = Symbol(base_before(text, before - 1));
  return out;
}

}  // namespace

std::vector<Use> uses_in(std::string_view text, std::string_view name) {
  std::vector<Use> out;
  for (std::size_t at = 0; at < text.size(); at += name.size()) {
    const void* found = memmem(text.data() + at, text.size() - at, name.data(), name.size());
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    std::size_t end = at + name.size();
    if (at > 0 && text::is_identifier_part(text[at - 1])) continue;
    if (end < text.size() && text::is_identifier_part(text[end])) continue;
    out.push_back(use_at(text, at, end));
  }
  return out;
}

}  // namespace ungate::python
