// The bytes of a code object, decompressed: LZ4 blocks and zstd frames, told apart by the flags of
// its fatbin entry.
#pragma once

#include <cstdint>
#include <string>

#include "binary/bytes.h"
#include "binary/code_object.h"

namespace ungate::binary {

// `malformed` where the payload does not decompress to the size that its header says, or where that
// is more than `limit`: no more than that is ever allocated.
Result<std::string> unpack(const ByteSource& source, const CodeObject& object,
                           std::uint64_t limit = std::uint64_t{2} << 30);

}  // namespace ungate::binary
