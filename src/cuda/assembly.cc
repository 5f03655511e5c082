// Instructions of inline assembly.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "cuda/body.h"

namespace ungate::cuda {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string without_comments(std::string_view s) {
  std::string out;
  for (std::size_t i = 0; i < s.size();) {
    if (s.substr(i, 2) == "//") {
      i = std::min(s.find('\n', i), s.size());
    } else if (s.substr(i, 2) == "/*") {
      std::size_t end = s.find("*/", i + 2);
      i = end == std::string_view::npos ? s.size() : end + 2;
      out += ' ';
    } else {
      out += s[i++];
    }
  }
  return out;
}

// Takes off labels ("L1:") and a predicate ("@!p").
std::string_view without_prefix(std::string_view s) {
  for (;;) {
    s = text::trim(s);
    std::size_t word = 0;
    while (word < s.size() &&
           (text::is_identifier_part(s[word]) || s[word] == '$' || s[word] == '%'))
      ++word;
    bool label = word > 0 && word < s.size() && s[word] == ':' && s.substr(word, 2) != "::";
    if (label) {
      s.remove_prefix(word + 1);
    } else if (s.starts_with('@')) {
      std::size_t end = s.find_first_of(" \t\n");
      if (end == std::string_view::npos) return {};
      s.remove_prefix(end);
    } else {
      return s;
    }
  }
}

}  // namespace

std::vector<Symbol> mnemonics(std::string_view assembly) {
  std::vector<Symbol> out;
  std::string code = without_comments(assembly);
  for (std::size_t at = 0; at < code.size();) {
    std::size_t end = std::min(code.find_first_of(";{}", at), code.size());
    std::string_view statement = without_prefix(std::string_view(code).substr(at, end - at));
    at = end + 1;
    if (statement.empty() || !is_letter(statement[0])) continue;  // a directive, or an operand list
    out.emplace_back(statement.substr(0, statement.find_first_of(" \t\n\r")));
  }
  return out;
}

void append_string(std::string_view literal, std::string& out) {
  std::size_t open = literal.find('"');
  if (open == std::string_view::npos || literal.size() < open + 2) return;
  if (open > 0 && literal[open - 1] == 'R') {
    std::size_t from = literal.find('('), to = literal.rfind(')');
    if (from != std::string_view::npos && to != std::string_view::npos && from < to) {
      out += literal.substr(from + 1, to - from - 1);
    }
    return;
  }
  for (std::size_t k = open + 1; k + 1 < literal.size(); ++k) {
    if (literal[k] != '\\' || k + 2 >= literal.size()) {
      out += literal[k];
    } else {
      ++k;
      out += literal[k] == 'n' ? '\n' : literal[k] == 't' || literal[k] == '\n' ? ' ' : literal[k];
    }
  }
}

}  // namespace ungate::cuda
