// The words of a text (runs of letters, digits, `_` and bytes above ASCII), found 64 bytes at a time, and
// their hashes, taken in pieces of eight bytes: what one pass over all files of an environment costs.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ungate {

// A bit for each of the 64 bytes at p that is part of a word.
std::uint64_t word_bytes(const char* p);

std::uint32_t hash_word(std::string_view word);

// Calls f(begin, end) for every word of the text.
template <class F>
void each_word_range(std::string_view text, F&& f) {
  bool inside = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); at += 64) {
    std::uint64_t bytes;
    if (text.size() - at >= 64) {
      bytes = word_bytes(text.data() + at);
    } else {
      char last[64] = {};
      std::memcpy(last, text.data() + at, text.size() - at);
      bytes = word_bytes(last);
    }
    // Where a word begins or ends.
    for (std::uint64_t edges = bytes ^ (bytes << 1 | (inside ? 1 : 0)); edges != 0; edges &= edges - 1) {
      std::size_t edge = at + static_cast<std::size_t>(std::countr_zero(edges));
      if (inside) f(begin, edge);
      begin = edge;
      inside = !inside;
    }
  }
  if (inside) f(begin, text.size());
}

}  // namespace ungate
