#include "base/literal_set.h"

#include <gtest/gtest.h>

namespace ungate {
namespace {

TEST(LiteralSet, FindsALiteralWhereverItStands) {
  LiteralSet set({"capability", "int sm,", "Prop"});
  EXPECT_TRUE(set.any_in("capability"));
  EXPECT_TRUE(set.any_in("the capability of"));
  EXPECT_TRUE(set.any_in("f(int sm, int x)"));
  EXPECT_TRUE(set.any_in("cudaDeviceProp"));
  EXPECT_TRUE(set.any_in("PrProp"));
  EXPECT_FALSE(set.any_in("Pro"));
  EXPECT_FALSE(set.any_in("int sm;"));
  EXPECT_FALSE(set.any_in(""));
}

// Every offset and length: what a step jumps over is where a search goes wrong.
TEST(LiteralSet, AgreesWithFind) {
  const std::vector<std::string> literals{"abca", "bcabc", "caaab"};
  LiteralSet set(literals);
  std::uint32_t random = 1;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) {
      random = random * 1664525u + 1013904223u;
      text += static_cast<char>('a' + (random >> 24) % 3);
    }
    bool there = false;
    for (const std::string& l : literals) there = there || text.find(l) != std::string::npos;
    ASSERT_EQ(set.any_in(text), there) << text;
  }
}

TEST(LiteralSet, OfNothingOrShortTexts) {
  EXPECT_FALSE(LiteralSet({}).any_in("abc"));
  EXPECT_FALSE(LiteralSet({""}).any_in("abc"));
  EXPECT_TRUE(LiteralSet({"c"}).any_in("abc"));
  EXPECT_TRUE(LiteralSet({"bc"}).any_in("abc"));
  EXPECT_FALSE(LiteralSet({"cb"}).any_in("abc"));
}

}  // namespace
}  // namespace ungate
