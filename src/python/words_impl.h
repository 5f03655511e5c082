// Internal to words.h: the scanning loop.
#pragma once

#include "base/word_scan.h"

namespace ungate::python {

// Whether a word that begins there can name an attribute.
inline bool may_be_attribute(std::string_view text, std::size_t begin) {
  if (begin == 0) return false;
  char before = text[begin - 1];
  return before == '.' || before == '"' || before == '\'';
}

template <class F>
void each_word(std::string_view text, F&& f) {
  each_word_range(text, [&](std::size_t begin, std::size_t end) {
    std::string_view word = text.substr(begin, end - begin);
    if (is_recorded(word)) f(hash_word(word), begin, word.size());
  });
}

}  // namespace ungate::python
