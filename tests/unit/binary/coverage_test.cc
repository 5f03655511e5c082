#include "binary/coverage.h"

#include <gtest/gtest.h>

#include "unit/binary/make.h"

namespace ungate::binary {
namespace {

using make::kExact;
using make::kFamily;

arch::Device device(std::string_view name) {
  return *arch::parse_device(name);
}

Coverage coverage(const std::string& bytes, std::string_view target) {
  auto listing = list(Memory("x", bytes));
  EXPECT_TRUE(listing) << to_text(listing.error());
  return coverage_of(*listing, device(target));
}
std::string state(const std::string& bytes, std::string_view target) {
  return std::string(name_of(coverage(bytes, target).state));
}
std::string loads(CodeKind kind, Built built, std::string_view target) {
  return std::string(name_of(loads_on(kind, built, device(target))));
}

TEST(Loads, FollowTheRulesOfArch) {
  using enum CodeKind;
  using arch::Suffix;
  EXPECT_EQ(loads(elf, {120}, "sm_121"), "yes");
  EXPECT_EQ(loads(elf, {121}, "sm_120"), "no");
  EXPECT_EQ(loads(elf, {120, Suffix::exact}, "sm_121"), "no");
  EXPECT_EQ(loads(elf, {120, Suffix::family}, "sm_121"), "yes");
  EXPECT_EQ(loads(elf, {100, Suffix::family}, "sm_103"), "yes");
  EXPECT_EQ(loads(elf, {100, Suffix::exact}, "sm_103"), "no");
  EXPECT_EQ(loads(elf, {80}, "sm_89"), "yes");
  EXPECT_EQ(loads(elf, {90}, "sm_100"), "no");
  EXPECT_EQ(loads(ptx, {80}, "sm_120"), "jit");
  EXPECT_EQ(loads(ptx, {90, Suffix::exact}, "sm_120"), "no");
  EXPECT_EQ(loads(ptx, {121}, "sm_120"), "no");
  EXPECT_EQ(loads(ltoir, {120}, "sm_120"), "no");
  EXPECT_EQ(loads(other, {120}, "sm_120"), "no");
  // Older than arch/'s table, and newer.
  EXPECT_EQ(loads(ptx, {35}, "sm_120"), "jit");
  EXPECT_EQ(loads(elf, {35}, "sm_120"), "no");
  EXPECT_EQ(loads(ptx, {990}, "sm_120"), "no");
  EXPECT_EQ(loads(elf, {990}, "sm_120"), "no");
  // The older name of Thor.
  EXPECT_EQ(loads(elf, {101, Suffix::exact}, "sm_110"), "yes");
}

TEST(Coverage, States) {
  EXPECT_EQ(state(make::fatbin({make::sass(80), make::sass(120)}), "sm_120"), "covered");
  EXPECT_EQ(state(make::fatbin({make::sass(80), make::ptx(80)}), "sm_120"), "jit-only");
  EXPECT_EQ(state(make::fatbin({make::sass(80), make::sass(90, kExact)}), "sm_120"), "no-code");
  EXPECT_EQ(state(make::fatbin({}), "sm_120"), "no-device-code");
  EXPECT_EQ(state(make::elf({{".text", "x"}}), "sm_120"), "no-device-code");
  std::string two = make::fatbin({make::sass(120)}) + make::fatbin({make::sass(90, kExact)});
  EXPECT_EQ(state(two, "sm_120"), "partly");
  EXPECT_EQ(state(make::fatbin({make::ptx(80)}) + make::fatbin({make::sass(90)}), "sm_120"),
            "partly");
  EXPECT_EQ(state(make::fatbin({make::ptx(80)}) + make::fatbin({make::sass(120)}), "sm_120"),
            "partly");
}

TEST(Coverage, CountsUnits) {
  std::string bytes = make::fatbin({make::sass(120), make::ptx(120)}) +
                      make::fatbin({make::sass(80), make::ptx(75), make::ptx(80), make::ptx(121)}) +
                      make::fatbin({make::sass(90, kExact), make::sass(100, kFamily)});
  Coverage c = coverage(bytes, "sm_120");
  EXPECT_EQ(c.units, 3u);
  EXPECT_EQ(c.loaded, 1u);
  EXPECT_EQ(c.jit, 1u);
  EXPECT_EQ(c.none, 1u);
  ASSERT_EQ(c.ptx.size(), 1u);
  EXPECT_EQ(c.ptx[0].name(), "sm_80");
  ASSERT_EQ(c.lost.size(), 2u);
  EXPECT_EQ(c.lost[0].name(), "sm_90a");
  EXPECT_EQ(c.lost[1].name(), "sm_100f");
}

// nvcc's device linker adds a container of cubins without kernels, and without PTX.
TEST(Coverage, EmptyUnitsDoNotCount) {
  std::string bytes = make::fatbin({make::entry({2, 90, 0, make::cubin(90, false)})}) +
                      make::fatbin({make::sass(90), make::ptx(90)});
  EXPECT_EQ(state(bytes, "sm_120"), "jit-only");
}

TEST(Coverage, InputOfALinkerCountsOnlyBeforeLinking) {
  std::vector<make::Section> sections = {{".nv_fatbin", make::fatbin({make::sass(90)})},
                                         {"__nv_relfatbin", make::fatbin({make::sass(120)})}};
  EXPECT_EQ(state(make::elf(sections), "sm_120"), "no-code");
  EXPECT_EQ(state(make::elf(sections, {1}), "sm_120"), "partly");
}

}  // namespace
}  // namespace ungate::binary
