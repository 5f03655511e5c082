// PTX: the text of a virtual machine, which the driver compiles. Its header says for what:
// ".version 9.0", ".target sm_120a" (PTX ISA, "PTX Module Directives").
#pragma once

#include <optional>
#include <string_view>

#include "binary/code_object.h"

namespace ungate::binary {

struct PtxHeader {
  Built built;
  std::uint16_t major = 0, minor = 0;
};
// Of the beginning of a text; nothing unless both directives are there, before anything else.
std::optional<PtxHeader> parse_ptx_header(std::string_view text);

}  // namespace ungate::binary
