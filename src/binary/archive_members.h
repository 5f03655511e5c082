// Static libraries (.a): the members of an ar archive.
//
// "!<arch>\n", then members at even offsets: a header of 60 characters (name 16, date 12, owner 6,
// group 6, mode 8, size 10 in decimal, "`\n") and the bytes. GNU: "/" is the symbol index, "//" the
// long names, "/123" a name at that offset among them, "name/" a short one. BSD: "#1/12" has the
// name in front of the bytes. "!<thin>\n" archives hold names only and are refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "binary/bytes.h"

namespace ungate::binary {

bool is_archive(std::string_view bytes);

struct Member {
  std::string name;
  std::uint64_t offset = 0, size = 0;  // of its bytes
};
// The members that are files, in order; names may repeat.
Result<std::vector<Member>> read_members(const ByteSource& source);

}  // namespace ungate::binary
