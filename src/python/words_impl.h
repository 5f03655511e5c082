// Internal to words.h: the scanning loop.
#pragma once

#include <array>

namespace ungate::python {

inline constexpr auto kWordByte = [] {
  std::array<bool, 256> t{};
  for (int c = 0; c < 256; ++c) {
    t[static_cast<std::size_t>(c)] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9') || c >= 0x80;
  }
  return t;
}();

// The hash is that of the bytes one by one, so that it can be computed while the word's end is sought.
inline constexpr std::uint32_t kWordSeed = 2166136261u, kWordPrime = 16777619u;
inline WordHash finish_word(std::uint32_t h) {
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 12;
  return h == 0 ? 1 : h;
}

template <class F>
void each_word(std::string_view text, F&& f) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const auto* begin = p;
  const auto* end = p + text.size();
  while (p < end) {
    while (p < end && !kWordByte[*p]) ++p;
    const auto* start = p;
    std::uint32_t h = kWordSeed;
    while (p < end && kWordByte[*p]) h = (h ^ *p++) * kWordPrime;
    auto size = static_cast<std::size_t>(p - start);
    if (size >= kShortestWord) f(finish_word(h), static_cast<std::size_t>(start - begin), size);
  }
}

}  // namespace ungate::python
