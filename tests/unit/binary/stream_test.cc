#include "binary/stream.h"

#include <gtest/gtest.h>

#include <random>

#include "binary/elf.h"
#include "unit/binary/make.h"

namespace ungate::binary {
namespace {

// Everything that a listing says.
std::string text_of(const Result<Listing>& listing) {
  if (!listing) return "error: " + listing.error().what;
  std::string out(name_of(listing->kind));
  for (const Unit& u : listing->units) {
    out += " [" + u.member + (u.empty ? "!" : "") + (u.place == Place::relfatbin ? "~" : "") + ']';
  }
  for (const CodeObject& o : listing->objects) {
    out += ' ' + std::string(name_of(o.kind)) + o.built.name() + '@' + std::to_string(o.offset) +
           '+' + std::to_string(o.stored) + '/' + std::to_string(o.size) + '#' +
           std::to_string(o.unit);
  }
  return out;
}

std::string on_disk(const std::string& bytes) {
  return text_of(list(Memory("x", bytes)));
}

// In pieces of up to `largest` bytes; `keep` 0 forces the way of large files.
std::string passed(const std::string& bytes, std::size_t largest, std::uint64_t keep = 0) {
  StreamLister lister("x", keep);
  std::minstd_rand random(static_cast<unsigned>(largest));
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t n = std::min(bytes.size() - at, 1 + random() % largest);
    lister.feed(std::string_view(bytes).substr(at, n));
    at += n;
  }
  return text_of(lister.finish());
}

std::vector<std::string> good_files() {
  std::string stub = make::entry({2, 90, 0, make::cubin(90, false)});
  std::string tiny = make::entry({1, 80, 0, "short"});
  std::string two =
      make::fatbin({stub}) + std::string(40, '\0') +
      make::fatbin({make::sass(90), tiny, make::ptx(120), make::sass(100, make::kFamily)});
  std::string host = "some host code that ends at an odd offset.";
  return {
      make::elf({{".text", host}, {".nv_fatbin", two}, {".data", host}}),
      make::elf(
          {{".nv_fatbin", two + std::string(16, '\0')}, {"__nv_relfatbin", make::fatbin({tiny})}}),
      make::elf({{"__nv_relfatbin", two}}, {1}),
      make::elf({{".text", host}}),
      // Looks like a container and lies outside of the sections that hold some.
      make::elf({{".rodata", make::fatbin({}).substr(0, 8) + std::string(9, '\x7f')},
                 {".nv_fatbin", two}}),
  };
}

TEST(Stream, SaysWhatAListingOfTheFileSays) {
  for (const std::string& file : good_files()) {
    std::string expected = on_disk(file);
    EXPECT_FALSE(expected.starts_with("error")) << expected;
    for (std::size_t largest : {1u, 3u, 7u, 8u, 64u, 100u, 4096u}) {
      EXPECT_EQ(passed(file, largest), expected) << largest;
    }
    EXPECT_EQ(passed(file, 50, 1 << 20), expected);
  }
}

// Whatever is wrong with a file: where a listing refuses it, so does one pass.
TEST(Stream, RefusesWhatAListingRefuses) {
  for (const std::string& good : good_files()) {
    for (std::size_t i = 64; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] = static_cast<char>(~bad[i]);
      std::string expected = on_disk(bad), got = passed(bad, 4096);
      if (expected.starts_with("error")) {
        EXPECT_TRUE(got.starts_with("error")) << i << ": " << got << "\n" << expected;
      } else if (!got.starts_with("error")) {
        EXPECT_EQ(got, expected) << i;
      }
    }
    for (std::size_t n = 64; n < good.size(); n += 5) {
      EXPECT_TRUE(passed(good.substr(0, n), 100).starts_with("error")) << n;
    }
  }
}

TEST(Stream, LargeFilesOfOtherKinds) {
  EXPECT_EQ(passed("just text, and more of it than is kept", 5), "no-binary");
  EXPECT_EQ(passed("", 5), "no-binary");
  EXPECT_TRUE(passed(make::cubin(90), 50).starts_with("error: a file of the kind 'cubin'"));
}

// PTX is known by its header, which may come after the first pieces.
TEST(Stream, AHeaderThatComesLate) {
  std::string ptx = "//" + std::string(100, 'x') + "\n.version 8.8\n.target sm_90a\n.visible ";
  EXPECT_EQ(passed(ptx, 10), on_disk(ptx));
}

}  // namespace
}  // namespace ungate::binary
