#include "binary/payload.h"

#include <fmt/core.h>
#include <lz4.h>
#include <zstd.h>

namespace ungate::binary {
namespace {

// LZ4 gets to 255, zstd further on a run of one byte. A claim beyond this is refused before
// anything is allocated, unless it is small anyway.
constexpr std::uint64_t kBestRatio = 4096, kSmall = 64u << 20;

bool unpack_lz4(std::string_view packed, std::string& into) {
  if (packed.size() > LZ4_MAX_INPUT_SIZE || into.size() > LZ4_MAX_INPUT_SIZE) return false;
  int n = LZ4_decompress_safe(packed.data(), into.data(), static_cast<int>(packed.size()),
                              static_cast<int>(into.size()));
  return n >= 0 && static_cast<std::size_t>(n) == into.size();
}

bool unpack_zstd(std::string_view packed, std::string& into) {
  std::size_t n = ZSTD_decompress(into.data(), into.size(), packed.data(), packed.size());
  return ZSTD_isError(n) == 0 && n == into.size();
}

}  // namespace

Result<std::string> unpack(const ByteSource& source, const CodeObject& object,
                           std::uint64_t limit) {
  if (object.size > limit || (object.size > kSmall && object.size / kBestRatio > object.stored)) {
    return source.bad(object.offset, fmt::format("{} bytes that claim to be {} are not unpacked",
                                                 object.stored, object.size));
  }
  std::string packed;
  if (auto s = source.read(object.offset, object.stored, packed); !s) {
    return std::unexpected(s.error());
  }
  if (object.compression == Compression::none) return packed;
  std::string out(object.size, '\0');
  bool good =
      object.compression == Compression::lz4 ? unpack_lz4(packed, out) : unpack_zstd(packed, out);
  if (!good) {
    return source.bad(object.offset, fmt::format("{} data does not unpack to {} bytes",
                                                 name_of(object.compression), object.size));
  }
  return out;
}

}  // namespace ungate::binary
