#include "cli/shell_word.h"

#include <cctype>

#include "base/text.h"

namespace ungate::cli {

std::string shell_word(const std::string& word) {
  bool plain = !word.empty();
  for (char c : word) {
    bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    plain = plain && (letter || std::string_view("_-./:=,+@%").find(c) != std::string_view::npos);
  }
  return plain ? word : '\'' + text::replace_all(word, "'", "'\\''") + '\'';
}

}  // namespace ungate::cli
