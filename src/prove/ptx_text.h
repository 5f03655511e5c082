// The text of PTX: names, comments, statements (internal to prove/).
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace ungate::prove {

inline bool is_name_start(char c) {
  return text::is_identifier_start(c) || c == '$' || c == '%';
}
inline bool is_name_part(char c) {
  return text::is_identifier_part(c) || c == '$' || c == '%';
}
inline bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Comments and lines that say where code comes from (which no ';' ends), replaced by blanks.
std::string without_comments(std::string_view s);

// What a statement begins with, without predicate and labels.
std::string_view opcode_of(std::string_view s);

// Does an instruction leave something behind that another thread, or the host, could see?
bool has_effect(std::string_view op);

// Statements of a body, braces of blocks left out.
template <class Each>
void each_statement(std::string_view body, Each&& each) {
  std::size_t begin = 0;
  bool blank = true;  // nothing of the statement was seen
  for (std::size_t i = 0; i < body.size(); ++i) {
    char c = body[i];
    if (is_space(c)) continue;
    if (blank && (c == '{' || c == '}')) {
      begin = i + 1;
      continue;
    }
    blank = false;
    if (c == ';') {
      each(body.substr(begin, i - begin));
      begin = i + 1;
      blank = true;
    }
  }
}

}  // namespace ungate::prove
