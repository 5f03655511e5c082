#include "base/word_scan.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ungate {
namespace {

#if defined(__SSE2__)
std::uint64_t word_bytes_16(const char* p) {
  __m128i c = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  auto below = [](__m128i from_zero, char count) {
    return _mm_cmpeq_epi8(_mm_min_epu8(from_zero, _mm_set1_epi8(count)), from_zero);
  };
  __m128i letter = below(_mm_sub_epi8(_mm_or_si128(c, _mm_set1_epi8(0x20)), _mm_set1_epi8('a')), 25);
  __m128i digit = below(_mm_sub_epi8(c, _mm_set1_epi8('0')), 9);
  __m128i other = _mm_or_si128(_mm_cmpeq_epi8(c, _mm_set1_epi8('_')), c);  // the sign: above ASCII
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(letter, digit), other)));
}
#else
bool is_word_byte(unsigned char c) {
  unsigned char lower = c | 0x20;
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c >= 0x80;
}
#endif

std::uint64_t load8(const char* p) {
  std::uint64_t x;
  std::memcpy(&x, p, 8);
  return x;
}
std::uint64_t load4(const char* p) {
  std::uint32_t x;
  std::memcpy(&x, p, 4);
  return x;
}

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

std::uint64_t word_bytes(const char* p) {
  std::uint64_t out = 0;
#if defined(__SSE2__)
  for (int i = 0; i < 4; ++i) out |= word_bytes_16(p + 16 * i) << (16 * i);
#else
  for (int i = 0; i < 64; ++i) out |= std::uint64_t{is_word_byte(static_cast<unsigned char>(p[i]))} << i;
#endif
  return out;
}

std::uint32_t hash_word(std::string_view word) {
  constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15u, kSecond = 0xd6e8feb86659fd93u;
  const char* p = word.data();
  std::size_t n = word.size();
  std::uint64_t a = 0, b = 0, h = n * kSecond;  // spread, or it would undo a difference of letters
  if (n >= 8) {
    for (; n > 16; p += 8, n -= 8) h = fold(load8(p) ^ kFirst ^ h, kSecond);
    a = load8(p), b = load8(p + n - 8);
  } else if (n >= 4) {
    a = load4(p), b = load4(p + n - 4);
  } else {
    for (std::size_t i = 0; i < n; ++i) a = a << 8 | static_cast<unsigned char>(p[i]);
  }
  h = fold(a ^ kFirst ^ h, b ^ kSecond);
  auto out = static_cast<std::uint32_t>(h ^ h >> 32);
  return out == 0 ? 1 : out;
}

}  // namespace ungate
