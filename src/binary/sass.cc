#include "binary/sass.h"

#include <algorithm>
#include <array>

#include "binary/bytes.h"

namespace ungate::binary {
namespace {

constexpr std::size_t kInstruction = 16;
constexpr std::uint16_t kPredicate = 0xf000, kAlways = 0x7000;
constexpr std::uint16_t kNever =
    0xf000;  // code for sm_70 begins with a shuffle that nobody executes

constexpr std::uint16_t kExit = 0x94d, kTrap = 0x95c;
// What a kernel begins with: the stack pointer and perhaps a few indices. None has an effect that
// outlives the kernel.
constexpr std::array<std::uint16_t, 12> kPrologue = {
    0x918,                              // NOP
    0xb82, 0x7ac, 0xab9,                // LDC, LDCU, ULDC
    0x202, 0x402, 0x802, 0xa02, 0xc02,  // MOV
    0x624,                              // IMAD.MOV of a constant
    0x919, 0x805,                       // S2R, CS2R
};
// Whatever operands they take: HMMA, IMMA, BMMA, DMMA, QMMA, OMMA; HGMMA, IGMMA, BGMMA, QGMMA of a
// warp group; all of tcgen05.mma. Assembled from every kind of mma, wgmma and tcgen05.mma in
// PTX 9.0.
constexpr std::array<std::uint16_t, 11> kMatrix = {0x03c, 0x037, 0x03d, 0x03f, 0x07a, 0x07f,
                                                   0x1f0, 0x1f1, 0x1f2, 0x1f3, 0x1ea};
constexpr std::uint16_t kOperation = 0xfff, kBase = 0x1ff;

constexpr auto kIsMatrix = [] {
  std::array<bool, kBase + 1> table{};
  for (std::uint16_t op : kMatrix) table[op] = true;
  return table;
}();

}  // namespace

CodeTraits traits_of(std::string_view code) {
  CodeTraits traits;
  bool beginning = true;
  for (std::size_t at = 0; at + kInstruction <= code.size(); at += kInstruction) {
    auto word = load<std::uint16_t>(code, at);
    std::uint16_t operation = word & kOperation;
    if (operation == kTrap) traits.traps = true;
    if (kIsMatrix[operation & kBase]) traits.matrix = true;
    if (!beginning) continue;
    if ((word & kPredicate) == kNever) continue;
    bool always = (word & kPredicate) == kAlways;
    if (always && operation == kExit) traits.empty = true;
    if (always && operation == kTrap) traits.trap = true;
    beginning = always && std::ranges::find(kPrologue, operation) != kPrologue.end();
  }
  return traits;
}

}  // namespace ungate::binary
