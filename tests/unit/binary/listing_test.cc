#include "binary/listing.h"

#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "binary/elf.h"
#include "unit/binary/make.h"

namespace ungate::binary {
namespace {

using make::kExact;
using make::kFamily;

// "elf sm_90a, ptx sm_120" by unit: units apart by '|'; '!' marks an empty one, '~' input of a
// linker.
std::string text_of(const Result<Listing>& listing) {
  if (!listing) return "error: " + listing.error().what;
  std::string out;
  for (std::uint32_t u = 0; u < listing->units.size(); ++u) {
    const Unit& unit = listing->units[u];
    if (u != 0) out += "| ";
    if (!unit.member.empty()) out += unit.member + ": ";
    out += unit.empty ? "!" : unit.place == Place::relfatbin ? "~" : "";
    for (const CodeObject& o : listing->objects) {
      if (o.unit == u) out += std::string(name_of(o.kind)) + ' ' + o.built.name() + ' ';
    }
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

std::string listed(const std::string& bytes) {
  return text_of(list(Memory("x", bytes)));
}

// Where the error is, or the listing.
std::string refused(const std::string& bytes) {
  auto listing = list(Memory("x", bytes));
  if (listing) return "listed: " + text_of(listing);
  EXPECT_EQ(listing.error().code, ErrorCode::malformed);
  EXPECT_EQ(listing.error().where, "x");
  return listing.error().what;
}

TEST(Listing, FatbinFile) {
  std::string f = make::fatbin({make::sass(80), make::sass(90, kExact), make::sass(100, kFamily),
                                make::ptx(120, kFamily), make::entry({8, 90, 0, "LTO IR bytes"}),
                                make::entry({77, 90, 0, "who knows"})});
  EXPECT_EQ(listed(f), "elf sm_80 elf sm_90a elf sm_100f ptx sm_120f ltoir sm_90 other sm_90");
  EXPECT_EQ(kind_of_bytes(f), FileKind::fatbin);
}

TEST(Listing, SharedObjectWithSeveralContainers) {
  std::string section = make::fatbin({make::sass(90)}) + std::string(24, '\0') +
                        make::fatbin({make::sass(90), make::ptx(90)});
  std::string so = make::elf({{".text", "host code"},
                              {".nv_fatbin", section},
                              {"__nv_relfatbin", make::fatbin({make::sass(80)})}});
  EXPECT_EQ(listed(so), "elf sm_90 | elf sm_90 ptx sm_90 | ~elf sm_80");
  EXPECT_EQ(kind_of_bytes(so), FileKind::shared_object);
  EXPECT_EQ(listed(make::elf({{".text", "host code"}})), "");
  make::Section bss{".nv_fatbin", std::string(64, '\0'), 8};  // stripped to debug data: no bytes
  EXPECT_EQ(listed(make::elf({bss})), "");
}

TEST(Listing, LongHeadersHoldOptions) {
  std::string f = make::fatbin({make::entry({2, 120, kExact, make::cubin(120), 0, 112}),
                                make::entry({1, 90, 0, ".version 8.0", 0, 80})});
  EXPECT_EQ(listed(f), "elf sm_120a ptx sm_90");
}

TEST(Listing, WhatADeviceLinkerLeavesIsEmpty) {
  std::string stub = make::entry({2, 90, 0, make::cubin(90, false)});
  EXPECT_EQ(listed(make::fatbin({stub})), "!elf sm_90");
  EXPECT_EQ(listed(make::fatbin({stub, make::ptx(90)})), "elf sm_90 ptx sm_90");
  std::string packed(LZ4_compressBound(4096), '\0'), raw = make::cubin(80, false);
  packed.resize(static_cast<std::size_t>(
      LZ4_compress_default(raw.data(), packed.data(), static_cast<int>(raw.size()), 4096)));
  EXPECT_EQ(listed(make::fatbin({make::entry({2, 80, make::kLz4, packed, raw.size()})})),
            "!elf sm_80");
}

TEST(Listing, StandaloneCubins) {
  auto named = [](const std::string& command) {
    // Six words, then the strings that they point to.
    std::string strings = std::string(1, '\0') + "ptxas" + '\0' +
                          "Cuda compilation tools, release 13.0, V13.0.88" + '\0';
    std::string note;
    make::put<std::uint32_t>(note, 8, 1);
    make::put<std::uint32_t>(note, 12, 7);
    make::put<std::uint32_t>(note, 20, static_cast<std::uint32_t>(strings.size()));
    note += strings + command + '\0';
    make::pad(note, 4);
    std::string bytes;
    make::put<std::uint32_t>(bytes, 0, 12);
    make::put<std::uint32_t>(bytes, 4, static_cast<std::uint32_t>(note.size()));
    make::put<std::uint32_t>(bytes, 8, 2000);
    bytes += std::string("NVIDIA Corp\0", 12) + note;
    return make::Section{".note.nv.tkinfo", bytes, 7};
  };
  make::Section code{".text.k", "code"};
  auto cubin = [&](std::vector<make::Section> s, make::ElfKind kind) {
    s.push_back(code);
    return make::elf(s, kind);
  };
  EXPECT_EQ(listed(make::cubin(120)), "elf sm_120");
  EXPECT_EQ(listed(make::cubin(120, false)), "!elf sm_120");
  EXPECT_EQ(listed(cubin({named("-arch sm_100f -m 64 ")}, make::cubin_kind(100))), "elf sm_100f");
  EXPECT_EQ(listed(cubin({named("-v -arch sm_103a")}, make::cubin_kind(103))), "elf sm_103a");
  // The command line of some other tool does not count.
  EXPECT_EQ(listed(cubin({named("-arch sm_90a")}, make::cubin_kind(100))), "elf sm_100");
  std::string attributes("\x03\x07\x01\x01\x04\x0b\x04\x00....\x02\x09\x01\x00", 16);
  EXPECT_EQ(listed(cubin({{".nv.compat", attributes}}, make::cubin_kind(120))), "elf sm_120a");
  EXPECT_EQ(listed(cubin({}, {2, 190, 0x600670a, 65, 8})), "elf sm_103a");  // toolkit 12.9
  EXPECT_EQ(listed(cubin({}, {2, 190, 0x5a055a, 51, 7})), "elf sm_90");     // before Blackwell
  EXPECT_EQ(listed(cubin({}, {2, 190, 0x5a0d5a, 51, 7})), "elf sm_90a");
  auto listing = list(Memory("x", cubin({named("-arch sm_90")}, make::cubin_kind(90))));
  EXPECT_EQ(listing->toolkit, "13.0.88");
}

TEST(Listing, Ptx) {
  EXPECT_EQ(listed("//\n// Generated\n/* a */\n.version 8.8\n.target sm_90a, texmode_unified\n"),
            "ptx sm_90a");
  EXPECT_EQ(listed(".version 9.0\n.target sm_120f\n.address_size 64\n"), "ptx sm_120f");
  EXPECT_EQ(listed(".version 9.0\n"), "");
  EXPECT_EQ(kind_of_bytes("version 9.0\n.target sm_90\n"), FileKind::no_binary);
}

std::string member(std::string name, const std::string& bytes) {
  std::string size = std::to_string(bytes.size());
  name.resize(48, ' ');
  size.resize(10, ' ');
  std::string out = name + size + "`\n" + bytes;
  if (out.size() % 2 != 0) out += '\n';
  return out;
}

TEST(Listing, StaticLibraries) {
  std::string object = make::elf({{"__nv_relfatbin", make::fatbin({make::sass(90)})}}, {1});
  std::string a = "!<arch>\n" + member("/", "abc") + member("//", "a_rather_long_name.o/\n") +
                  member("/0", object) + member("notes.txt/", "text") + member("b.o/", object);
  EXPECT_EQ(listed(a), "a_rather_long_name.o: ~elf sm_90 | b.o: ~elf sm_90");
  auto listing = list(Memory("x", a));
  // Offsets are those of the library.
  EXPECT_EQ(a.substr(listing->objects[1].offset, 4), kElfMagic);
  std::string bsd = "!<arch>\n" + member("#1/8", std::string("long.o\0\0", 8) + object);
  EXPECT_EQ(listed(bsd), "long.o: ~elf sm_90");
  EXPECT_EQ(refused("!<thin>\n"), "at 0x0: a thin archive holds no members");
  EXPECT_EQ(refused(a.substr(0, a.size() - 8)).substr(0, 40),
            "at 0x49e: a member of 904 bytes reaches ");
}

TEST(Listing, OthersAreLeftAlone) {
  EXPECT_EQ(listed(make::elf({{".text", "x"}}, {3, 224})), "");
  EXPECT_EQ(kind_of_bytes(make::elf({{".text", "x"}}, {3, 224})), FileKind::other_vendor);
  EXPECT_EQ(kind_of_bytes("__CLANG_OFFLOAD_BUNDLE__...."), FileKind::other_vendor);
  EXPECT_EQ(kind_of_bytes("import os\n"), FileKind::no_binary);
  EXPECT_EQ(kind_of_bytes(""), FileKind::no_binary);
}

TEST(Listing, LyingFatbins) {
  std::string good = make::fatbin({make::sass(90)});
  auto with = [&](std::size_t offset, auto value) {
    std::string bad = good;
    make::put(bad, offset, value);
    return refused(bad);
  };
  EXPECT_EQ(with(4, std::uint16_t{2}), "at 0x0: fatbin version 2 is unknown");
  EXPECT_EQ(with(6, std::uint16_t{8}).substr(0, 20), "at 0x0: a fatbin of ");
  EXPECT_EQ(with(8, std::uint64_t(good.size())).substr(0, 20), "at 0x0: a fatbin of ");
  EXPECT_EQ(with(8, ~std::uint64_t{0}).substr(0, 20), "at 0x0: a fatbin of ");
  EXPECT_EQ(with(8, std::uint64_t{32}), "at 0x10: the header of a fatbin entry is cut off");
  EXPECT_EQ(with(20, std::uint32_t{8}).substr(0, 25), "at 0x10: a fatbin entry o");
  EXPECT_EQ(with(24, std::uint64_t(1) << 63).substr(0, 25), "at 0x10: a fatbin entry o");
  EXPECT_EQ(with(32, std::uint32_t{1u << 30}).substr(0, 28), "at 0x10: a fatbin entry hold");
  EXPECT_EQ(with(44, std::uint32_t{120}),
            "at 0x50: a fatbin entry for sm_120 holds a cubin for sm_90");
  EXPECT_EQ(with(0x50, 'x'), "at 0x50: a fatbin entry that should hold a cubin does not");
  EXPECT_EQ(with(56, kExact | kFamily),
            "at 0x38: a fatbin entry is both exact (a) and for a family (f)");
  EXPECT_EQ(refused(good + "rubbish!"), "at 0x268: a fatbin header is cut off");
  EXPECT_EQ(refused(good + std::string(8, '\0') + "rubbish! and more"),
            "at 0x270: a fatbin should begin here; found 0x62627572");
  for (std::size_t n = 1; n < good.size(); n += 7) {
    EXPECT_TRUE(refused(good.substr(0, good.size() - n)).starts_with("at 0x")) << n;
  }
}

TEST(Listing, LyingElfFiles) {
  std::string section = make::fatbin({make::sass(90)});
  std::string good = make::elf({{".nv_fatbin", section}, {"__nv_relfatbin", section}});
  auto table = load<std::uint64_t>(good, 40);
  auto with = [&](std::size_t offset, auto value) {
    std::string bad = good;
    make::put(bad, offset, value);
    return refused(bad);
  };
  EXPECT_EQ(listed(good), "elf sm_90 | ~elf sm_90");
  EXPECT_EQ(with(4, '\x01'),
            "at 0x4: an ELF file that is not 64 bit and little-endian is not read");
  EXPECT_EQ(with(40, std::uint64_t{0}),
            "at 0x28: without a section table, device code cannot be found");
  EXPECT_EQ(with(40, std::uint64_t(good.size() - 8)).substr(0, 30),
            "at 0x630: the file ends at 0x6");
  EXPECT_EQ(with(58, std::uint16_t{40}), "at 0x3a: section headers do not have 64 bytes");
  EXPECT_EQ(with(60, std::uint16_t{9999}).substr(0, 5), "at 0x");
  EXPECT_EQ(with(62, std::uint16_t{9}), "at 0x3e: the section of names does not exist");
  // The second section begins inside the first one.
  EXPECT_NE(with(table + 128 + 24, load<std::uint64_t>(good, table + 64 + 24) + 8)
                .find("two sections of device code overlap"),
            std::string::npos);
  EXPECT_NE(with(table + 64 + 32, ~std::uint64_t{0}).find("section 1 reaches beyond the end"),
            std::string::npos);
  for (std::size_t n = 1; n + 4 < good.size(); n += 7) {
    EXPECT_TRUE(refused(good.substr(0, good.size() - n)).starts_with("at 0x")) << n;
  }
}

// Every byte turned around in turn: an error or a listing, and no read outside of the file (which
// the sanitizers would see).
TEST(Listing, SurvivesEveryByte) {
  std::string object =
      make::elf({{".nv_fatbin", make::fatbin({make::sass(90), make::ptx(90)})}}, {1});
  std::string good = "!<arch>\n" + member("a.o/", object);
  std::size_t errors = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(~bad[i]);
    errors += !list(Memory("x", bad));
  }
  EXPECT_GT(errors, 50u);
}

TEST(Listing, FilesThatCannotBeRead) {
  EXPECT_EQ(list_file("/nonexistent/x.so").error().code, ErrorCode::no_such_path);
  EXPECT_EQ(list_file(testing::TempDir()).error().code, ErrorCode::unreadable);
}

}  // namespace
}  // namespace ungate::binary
