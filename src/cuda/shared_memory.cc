// Declarations of shared memory.
#include <algorithm>

#include "base/text.h"
#include "cuda/body.h"

namespace ungate::cuda {
namespace {

std::uint64_t size_of_type(std::string_view type) {
  static constexpr std::pair<std::string_view, std::uint64_t> kSizes[] = {
      {"bool", 1},    {"char", 1},          {"int8_t", 1}, {"uint8_t", 1},       {"half", 2},
      {"__half", 2},  {"__nv_bfloat16", 2}, {"short", 2},  {"int16_t", 2},       {"uint16_t", 2},
      {"int", 4},     {"unsigned", 4},      {"float", 4},  {"int32_t", 4},       {"uint32_t", 4},
      {"__half2", 4}, {"half2", 4},         {"double", 8}, {"int64_t", 8},       {"uint64_t", 8},
      {"float2", 8},  {"int2", 8},          {"uint2", 8},  {"float4", 16},       {"int4", 16},
      {"uint4", 16},  {"size_t", 8},        {"long", 8},   {"__nv_bfloat162", 4}};
  for (const auto& [name, size] : kSizes) {
    if (name == type) return size;
  }
  return 0;
}

}  // namespace

void read_shared(const Lexemes& l, std::size_t i, std::uint32_t function, Structure& out) {
  SharedMemory s;
  s.function = function;
  s.dynamic = i > 0 && l[i - 1].is("extern");
  std::uint64_t bytes = 0, count = 1;
  bool constant = true;
  std::size_t k = i + 1;
  for (; k < l.size() && !l[k].is(";") && !l[k].is("=") && !l[k].is(",") && !l[k].is("{"); ++k) {
    if (l[k].is("(")) {  // alignas(16)
      k = after_brackets(l, k, l.size()) - 1;
    } else if (l[k].is("[")) {
      std::size_t close = after_brackets(l, k, l.size()) - 1;
      std::int64_t n = 0;
      bool number = close == k + 2 && text::parse_int(l[k + 1].text, n) && n > 0;
      constant &= number;
      if (number) count *= static_cast<std::uint64_t>(n);
      k = close;
    } else if (l[k].is("*")) {
      bytes = 8;
    } else if (l[k].is("<")) {
      constant = false;  // a template: its size is not known here
      k = std::max(after_angles(l, k, l.size()), k + 1) - 1;
    } else if (l[k].is_identifier()) {
      s.name = Symbol(l[k].text);
      // "unsigned char", "long int": the more telling word decides.
      bool telling = l[k].is("char") || l[k].is("short") || l[k].is("long");
      if (std::uint64_t size = size_of_type(l[k].text); size != 0 && (bytes == 0 || telling))
        bytes = size;
    }
  }
  s.range = {l[i].begin, l[std::min(k, l.size() - 1)].begin};
  if (constant && !s.dynamic) s.bytes = bytes * count;
  out.shared.push_back(s);
  // float a[2], b[2];
  while (k + 1 < l.size() && l[k].is(",") && l[k + 1].is_identifier()) {
    s.name = Symbol(l[k + 1].text);
    s.bytes = 0;
    for (k += 2; k < l.size() && !l[k].is(",") && !l[k].is(";"); ++k) constant = false;
    if (constant) s.bytes = bytes;
    out.shared.push_back(s);
  }
}

}  // namespace ungate::cuda
