#include "base/text.h"

#include <gtest/gtest.h>

namespace ungate::text {
namespace {

TEST(Text, SplitsAndTrims) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
  EXPECT_EQ(lines("a\r\nb\n"), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_EQ(lines("\n\nx"), (std::vector<std::string_view>{"", "", "x"}));
  EXPECT_EQ(trim(" \t x y \n"), "x y");
  EXPECT_EQ(join({"a", "", "b"}, ","), "a,,b");
}

TEST(Text, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(escape("plain ü 漢"), "plain ü 漢");
  EXPECT_EQ(escape("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(escape("a\nb\tc"), "a\\nb\\tc");
  EXPECT_EQ(escape("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(escape("\xe2\x80\xae" "evil"), "\\u{202e}evil");  // right-to-left override
  EXPECT_EQ(escape("\xc2\x9b" "31m"), "\\u{9b}31m");           // one-byte CSI
  EXPECT_EQ(escape("\xed\xa0\x80"), "\\xed\\xa0\\x80");        // a surrogate is not UTF-8
}

TEST(Text, FoldsToOneLine) {
  EXPECT_EQ(one_line("  a\n   b  ", 80), "a b");
  EXPECT_EQ(one_line("abcdef", 6), "abcdef");
  EXPECT_EQ(one_line("abcdefg", 6), "abcde…");
  EXPECT_EQ(one_line("üüüü", 3), "üü…");
}

TEST(Text, FindsWholeWords) {
  EXPECT_TRUE(contains_word("x = is_sm90(y)", "is_sm90"));
  EXPECT_FALSE(contains_word("is_sm90a", "is_sm90"));
  EXPECT_FALSE(contains_word("this_sm90", "is_sm90"));
}

TEST(Text, FitsPatterns) {
  EXPECT_TRUE(fits("*/impls/sm120_*gemm*", "a/impls/sm120_fp8_gemm_1d1d.cuh"));
  EXPECT_FALSE(fits("*/impls/sm120_*gemm*", "a/impls/sm100_fp8_gemm_1d1d.cuh"));
  EXPECT_TRUE(fits("*", ""));
  EXPECT_TRUE(fits("a*", "a"));
  EXPECT_TRUE(fits("a*a", "aa"));
  EXPECT_FALSE(fits("a*a", "a"));
  EXPECT_TRUE(fits("a*b*c", "a-b-b-c"));
  EXPECT_FALSE(fits("a*b*c", "ab-c-"));
  EXPECT_FALSE(fits("ab*bc", "abc"));
  EXPECT_TRUE(fits("**", "x"));
  EXPECT_TRUE(fits("same", "same"));
  EXPECT_FALSE(fits("same", "same "));
}

TEST(Text, ParsesIntegers) {
  std::int64_t n = 0;
  EXPECT_TRUE(parse_int("-12", n));
  EXPECT_EQ(n, -12);
  EXPECT_FALSE(parse_int("12a", n));
  EXPECT_FALSE(parse_int("", n));
  EXPECT_FALSE(parse_int("99999999999999999999", n));
}

}  // namespace
}  // namespace ungate::text
