// Internal to words.h: the scanning loop.
#pragma once

#include "base/word_scan.h"

namespace ungate::python {

template <class F>
void each_word(std::string_view text, F&& f) {
  each_word_range(text, [&](std::size_t begin, std::size_t end) {
    std::size_t size = end - begin;
    bool constant = size >= kShortestConstant && text[begin] >= 'A' && text[begin] <= 'Z';
    if (size >= kShortestWord || constant) f(hash_word(text.substr(begin, size)), begin, size);
  });
}

}  // namespace ungate::python
