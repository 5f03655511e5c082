#include "binary/kernels.h"

#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include "binary/kernel_coverage.h"
#include "binary/payload.h"
#include "binary/sass.h"
#include "unit/binary/make.h"

namespace ungate::binary {
namespace {

// One instruction of 16 bytes.
std::string op(std::uint16_t operation, std::uint16_t predicate = 7) {
  std::string s(16, '\0');
  make::put<std::uint16_t>(s, 0, static_cast<std::uint16_t>(predicate << 12 | operation));
  return s;
}
const std::string kLdc = op(0xb82), kExit = op(0x94d), kTrap = op(0x95c), kStore = op(0x986),
                  kBranch = op(0x947), kHmma = op(0x23c), kNop = op(0x918);
const std::string kBody = kLdc + kStore + kExit;

struct Kernel {
  std::string name, code;
  std::uint32_t registers = 0;
  std::string shared;
};

// A cubin of kernels, with symbols and attributes as ptxas writes them.
std::string cubin(std::uint32_t cc, const std::vector<Kernel>& kernels) {
  std::string names(1, '\0'), symbols(24, '\0'), info;
  std::vector<make::Section> sections;
  for (const Kernel& k : kernels) {
    std::size_t at = symbols.size();
    auto section = static_cast<std::uint16_t>(sections.size() + 1);
    make::put<std::uint32_t>(symbols, at, static_cast<std::uint32_t>(names.size()));
    make::put<std::uint8_t>(symbols, at + 4, 0x12);
    make::put<std::uint8_t>(symbols, at + 5, 0x10);
    make::put<std::uint16_t>(symbols, at + 6, section);
    make::put<std::uint64_t>(symbols, at + 16, k.code.size());
    names += k.name + '\0';
    std::size_t attribute = info.size();
    make::put<std::uint32_t>(info, attribute, 0x00082f04);
    make::put<std::uint32_t>(info, attribute + 4, static_cast<std::uint32_t>(at / 24));
    make::put<std::uint32_t>(info, attribute + 8, k.registers);
    sections.push_back({".text." + k.name, k.code});
    if (!k.shared.empty()) sections.push_back({".nv.shared." + k.name, k.shared, 8});
  }
  auto next = static_cast<std::uint32_t>(sections.size() + 1);
  // A function that is no kernel.
  make::put<std::uint8_t>(symbols, symbols.size() + 4, 0x12);
  symbols.resize((symbols.size() + 23) / 24 * 24, '\0');
  sections.push_back({".strtab", names, 3});
  sections.push_back({".symtab", symbols, 2, next, 0, 24});
  sections.push_back({".nv.info", info});
  return make::elf(sections, make::cubin_kind(cc));
}

std::string sass(std::uint32_t cc, const std::vector<Kernel>& kernels, std::uint64_t suffix = 0) {
  return make::entry({2, cc, suffix, cubin(cc, kernels)});
}

struct Read {
  Listing listing;
  Kernels kernels;
};
Read read(const std::string& bytes) {
  Memory memory("x", bytes);
  auto listing = list(memory);
  EXPECT_TRUE(listing) << to_text(listing.error());
  auto kernels = read_kernels(memory, *listing, 1);
  EXPECT_TRUE(kernels) << to_text(kernels.error());
  return {std::move(*listing), std::move(*kernels)};
}

// "a:code b:none" for a device.
std::string uses(const std::string& bytes, std::string_view target) {
  Read r = read(bytes);
  std::string out;
  auto all = kernel_uses(r.listing, r.kernels, *arch::parse_device(target));
  for (std::size_t i = 0; i < all.size(); ++i) {
    out += (i == 0 ? "" : " ") + r.kernels.names[i] + ':' + std::string(name_of(all[i].use));
  }
  return out;
}

TEST(Sass, Traits) {
  EXPECT_TRUE(traits_of(kLdc + kExit + kBranch + kNop).empty);
  EXPECT_TRUE(traits_of(kExit).empty);
  EXPECT_TRUE(traits_of(kLdc + op(0x389, 15) + kExit).empty);  // executed by no thread
  EXPECT_FALSE(traits_of(kBody).empty);
  EXPECT_FALSE(traits_of(kLdc + op(0x94d, 0) + kStore + kExit).empty);  // only some threads leave
  EXPECT_TRUE(traits_of(kLdc + kTrap + kBranch).trap);
  EXPECT_FALSE(traits_of(kStore + kTrap).trap);
  EXPECT_TRUE(traits_of(kStore + kTrap).traps);
  EXPECT_TRUE(traits_of(kStore + kHmma).matrix);
  EXPECT_TRUE(traits_of(op(0x83c)).matrix);  // with other operands
  EXPECT_FALSE(traits_of("").empty);
  EXPECT_FALSE(traits_of("short").trap);
}

TEST(Kernels, OfACubin) {
  std::string bytes =
      cubin(120, {{"k1", kBody, 40, std::string(1280, '\0')}, {"k2", kLdc + kExit, 4}});
  auto kernels = kernels_of_cubin(Memory("x", bytes));
  ASSERT_TRUE(kernels) << to_text(kernels.error());
  ASSERT_EQ(kernels->size(), 2u);
  EXPECT_EQ((*kernels)[0].name, "k1");
  EXPECT_EQ((*kernels)[0].image.registers, 40u);
  EXPECT_EQ((*kernels)[0].image.code, 48u);
  EXPECT_EQ((*kernels)[0].image.shared, 1280u);
  EXPECT_FALSE((*kernels)[0].image.empty);
  EXPECT_TRUE((*kernels)[1].image.empty);
}

TEST(Kernels, OfPtx) {
  auto kernels = kernels_of_ptx(
      ".visible .entry _Z1av(\n.param .u64 p)\n{ ret; }\n.weak .entry b\n(){}\n.func "
      "c(){}\n.entry");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "_Z1av");
  EXPECT_EQ(kernels[1].name, "b");
}

TEST(Kernels, WhatADeviceMeets) {
  std::string unit = make::fatbin(
      {sass(90, {{"a", kBody}, {"b", kBody}, {"c", kBody}, {"e", kLdc + kExit}}, make::kExact),
       sass(120, {{"a", kBody}, {"b", kLdc + kExit}, {"c", kTrap}, {"e", kExit}})});
  EXPECT_EQ(uses(unit, "sm_120"), "a:code b:empty c:trap e:code");
  EXPECT_EQ(uses(unit, "sm_121"), "a:code b:empty c:trap e:code");
  EXPECT_EQ(uses(unit, "sm_90"), "a:code b:code c:code e:code");
  EXPECT_EQ(uses(unit, "sm_100"), "a:none b:none c:none e:none");
}

// Machine code that loads hides PTX of the same unit: what it lacks is lost.
TEST(Kernels, MachineCodeHidesPtx) {
  std::string text = ".version 8.0\n.target sm_80\n.entry a(){}\n.entry b(){}\n";
  std::string ptx = make::entry({1, 80, 0, text});
  EXPECT_EQ(uses(make::fatbin({sass(120, {{"a", kBody}}), ptx}), "sm_120"), "a:code b:none");
  EXPECT_EQ(uses(make::fatbin({sass(90, {{"a", kBody}}), ptx}), "sm_120"), "a:jit b:jit");
  // Another unit has it, too.
  EXPECT_EQ(
      uses(make::fatbin({sass(90, {{"a", kBody}})}) + make::fatbin({sass(120, {{"a", kBody}})}),
           "sm_120"),
      "a:code");
}

// As in released wheels: all of a kernel is there but what multiplies, and instead it traps.
TEST(Kernels, TrapsInPlaceOfMatrixInstructions) {
  std::string unit = make::fatbin({sass(100, {{"k", kStore + kHmma + kTrap + kExit}}, make::kExact),
                                   sass(120, {{"k", kStore + kTrap + kExit}}, make::kExact)});
  EXPECT_EQ(uses(unit, "sm_120"), "k:trap");
  EXPECT_EQ(uses(unit, "sm_100"), "k:code");
  EXPECT_EQ(uses(make::fatbin({sass(120, {{"k", kStore + kTrap + kExit}})}), "sm_120"), "k:code");
}

TEST(Kernels, Counts) {
  Read r = read(make::fatbin(
      {sass(100, {{"a", kBody}, {"b", kBody}}, make::kFamily), sass(120, {{"a", kBody}})}));
  auto all = kernel_uses(r.listing, r.kernels, *arch::parse_device("sm_120"));
  KernelCounts n = count(all);
  EXPECT_EQ(n.names, 2u);
  EXPECT_EQ(n.code, 1u);
  EXPECT_EQ(n.none, 1u);
  EXPECT_EQ(state_of(n), State::partly);
  auto built = count_by_target(r.listing, r.kernels, all);
  ASSERT_EQ(built.size(), 2u);
  EXPECT_EQ(built[0].built.name(), "sm_100f");
  EXPECT_EQ(built[0].names, 2u);
  EXPECT_EQ(built[0].code, 1u);
}

TEST(Kernels, ReadsCompressedPayloads) {
  std::string raw = cubin(120, {{"k", kBody}});
  std::string lz4(4096, '\0'), zstd(4096, '\0');
  lz4.resize(static_cast<std::size_t>(LZ4_compress_default(
      raw.data(), lz4.data(), static_cast<int>(raw.size()), static_cast<int>(lz4.size()))));
  zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), raw.data(), raw.size(), 3));
  EXPECT_EQ(uses(make::fatbin({make::entry({2, 120, make::kLz4, lz4, raw.size()})}), "sm_120"),
            "k:code");
  EXPECT_EQ(uses(make::fatbin({make::entry({2, 120, make::kZstd, zstd, raw.size()})}), "sm_120"),
            "k:code");
}

TEST(Payload, RefusesWhatDoesNotUnpack) {
  auto refused = [](const make::Entry& e, std::uint64_t limit = 1u << 20) {
    std::string bytes = make::fatbin({make::entry(e)});
    Memory memory("x", bytes);
    auto listing = list(memory);
    auto out = unpack(memory, listing->objects[0], limit);
    return out ? "unpacked" : out.error().what;
  };
  std::string zeros(1000, '\0'), packed(1000, '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), zeros.data(), zeros.size(), 3));
  EXPECT_EQ(refused({1, 90, make::kZstd, packed, 1000}), "unpacked");
  EXPECT_EQ(refused({1, 90, make::kZstd, packed, 999}),
            "at 0x50: zstd data does not unpack to 999 bytes");
  EXPECT_EQ(refused({1, 90, make::kLz4, packed, 1000}),
            "at 0x50: lz4 data does not unpack to 1000 bytes");
  // A bomb: nothing is allocated for it.
  EXPECT_NE(refused({1, 90, make::kZstd, packed, 2000000}).find("are not unpacked"),
            std::string::npos);
  EXPECT_NE(refused({1, 90, make::kZstd, packed, std::uint64_t{1} << 60}, UINT64_MAX)
                .find("are not unpacked"),
            std::string::npos);
}

TEST(Kernels, NamesThatPeopleRead) {
  EXPECT_EQ(demangled("_ZN2ns6kernelIfEEvPT_"), "void ns::kernel<float>(float*)");
  EXPECT_EQ(demangled("plain"), "plain");
}

TEST(Kernels, SurvivesEveryByte) {
  std::string good = cubin(90, {{"a", kBody, 8}, {"b", kTrap, 9}});
  std::size_t errors = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(~bad[i]);
    errors += !kernels_of_cubin(Memory("x", bad));
  }
  EXPECT_GT(errors, 20u);
}

TEST(Kernels, ShortNames) {
  EXPECT_EQ(short_name("_ZN2ns6kernelIfEEvPT_"), "kernel<float>");
  EXPECT_EQ(short_name("_ZN1a1b6kernelEPf"), "kernel");
  EXPECT_EQ(short_name("_ZN2ns6kernelINS_6traitsIfEEEEvPT_"), "kernel<traits>");
  EXPECT_EQ(short_name("_ZN12_GLOBAL__N_16kernelEv"), "kernel");
  EXPECT_EQ(short_name("plain_name"), "plain_name");
}

}  // namespace
}  // namespace ungate::binary
