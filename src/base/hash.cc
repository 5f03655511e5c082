#include "base/hash.h"

#include <array>

#include <openssl/evp.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ungate {
namespace {

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::string_view bytes) {
  Digest digest{};
  unsigned int size = 0;
  // EVP_Digest with a fixed algorithm and a large enough buffer cannot fail short of lack of memory.
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return digest;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (unsigned char byte : sha256(bytes)) {
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

std::string sha256_base64url(std::string_view bytes) {
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  unsigned int buffer = 0;
  int bits = 0;
  for (unsigned char byte : sha256(bytes)) {
    buffer = buffer << 8 | byte;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      out += kAlphabet[buffer >> bits & 63];
    }
  }
  if (bits > 0) out += kAlphabet[buffer << (6 - bits) & 63];
  return out;
}

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string hex(std::uint64_t hash, int digits) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < digits; ++i) out += kHex[hash >> (60 - 4 * i) & 15];
  return out;
}

}  // namespace ungate
