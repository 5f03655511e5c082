// Two hashes: SHA-256 where a file's identity is recorded or compared with RECORD, XXH3 for keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ungate {

// Lower-case hex, 64 characters.
std::string sha256_hex(std::string_view bytes);
// As wheels' RECORD files write it: URL-safe base64 without padding.
std::string sha256_base64url(std::string_view bytes);

// Fast, not cryptographic; for cache keys and short ids.
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);
// The first `digits` (at most 16) hex digits of a hash.
std::string hex(std::uint64_t hash, int digits = 16);

}  // namespace ungate
