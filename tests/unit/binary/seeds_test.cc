// The seeds of the fuzzers, as tests.
#include <gtest/gtest.h>

#include <filesystem>

#include "binary/kernels.h"

namespace ungate::binary {
namespace {

TEST(Seeds, AreListedOrRefused) {
  std::size_t good = 0, bad = 0;
  for (const auto& entry : std::filesystem::directory_iterator(UNGATE_TEST_DIR "/fuzz/seeds")) {
    std::string path = entry.path().string(), name = entry.path().filename().string();
    auto listing = list_file(path);
    if (name.starts_with("bad-")) {
      ++bad;
      ASSERT_FALSE(listing) << name;
      EXPECT_EQ(listing.error().code, ErrorCode::malformed) << name;
      continue;
    }
    ++good;
    ASSERT_TRUE(listing) << name << ": " << to_text(listing.error());
    EXPECT_FALSE(listing->objects.empty()) << name;
    auto kernels = read_kernels(**open_file(path), *listing, 1);
    EXPECT_TRUE(kernels) << name << ": " << to_text(kernels.error());
  }
  EXPECT_GE(good, 5u);
  EXPECT_GE(bad, 5u);
}

}  // namespace
}  // namespace ungate::binary
