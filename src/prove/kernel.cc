#include "prove/kernel.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace ungate::prove {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The '<' that matches the '>' at `close`; npos if there is none.
std::size_t matching_angle(std::string_view s, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (s[i] == '>' && (i == 0 || s[i - 1] != '-')) ++depth;
    if (s[i] == '<' && --depth == 0) return i;
  }
  return s.npos;
}

// The qualified name with its template arguments: no parameters, no return type.
std::string_view declarator(std::string_view s) {
  // The parameter list is the last bracket at the top level.
  if (std::size_t end = s.rfind(')'); end != s.npos) {
    int depth = 0;
    for (std::size_t i = end + 1; i-- > 0;) {
      if (s[i] == ')') ++depth;
      if (s[i] == '(' && --depth == 0) {
        s = s.substr(0, i);
        break;
      }
    }
  }
  // The return type of a template ends at the last blank outside of brackets.
  int depth = 0;
  for (std::size_t i = s.size(); i-- > 0;) {
    if (s[i] == '>' || s[i] == ')') ++depth;
    if (s[i] == '<' || s[i] == '(') --depth;
    if (s[i] == ' ' && depth == 0) return s.substr(i + 1);
  }
  return s;
}

}  // namespace

std::string demangled(const std::string& name) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

std::string base_name(const std::string& name) {
  std::string text = demangled(name);
  std::string_view s = declarator(text);
  if (!s.empty() && s.back() == '>') {
    if (std::size_t open = matching_angle(s, s.size() - 1); open != s.npos) s = s.substr(0, open);
  }
  return std::string(s);
}

std::string short_name(const std::string& name) {
  std::string s = base_name(name);
  int depth = 0;
  for (std::size_t i = s.size(); i-- > 1;) {
    if (s[i] == '>') ++depth;
    if (s[i] == '<') --depth;
    if (depth == 0 && s[i] == ':' && s[i - 1] == ':') return s.substr(i + 1);
  }
  return s;
}

std::string template_arguments(const std::string& name) {
  std::string text = demangled(name);
  std::string_view s = declarator(text);
  if (s.empty() || s.back() != '>') return {};
  std::size_t open = matching_angle(s, s.size() - 1);
  return open == s.npos ? std::string() : std::string(s.substr(open + 1, s.size() - open - 2));
}

std::string without_module_ids(std::string_view name) {
  constexpr std::string_view kMark = "_INTERNAL_";
  std::string out;
  for (std::size_t at = 0;;) {
    std::size_t found = name.find(kMark, at);
    if (found == name.npos) return out += name.substr(at);
    std::size_t digits = found;
    while (digits > at && is_digit(name[digits - 1])) --digits;
    // The number before it is the length of the whole part.
    std::size_t length = 0;
    for (std::size_t i = digits; i < found && length < name.size(); ++i)
      length = length * 10 + static_cast<std::size_t>(name[i] - '0');
    if (length < kMark.size() || found + length > name.size()) {
      out += name.substr(at, found + kMark.size() - at);
      at = found + kMark.size();
      continue;
    }
    out += name.substr(at, digits - at);
    out += "10_INTERNAL_";
    at = found + length;
  }
}

}  // namespace ungate::prove
