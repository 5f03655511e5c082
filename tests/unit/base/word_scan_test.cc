#include "base/word_scan.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace ungate {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  each_word_range(text, [&](std::size_t begin, std::size_t end) { out.emplace_back(text.substr(begin, end - begin)); });
  return out;
}

TEST(WordScan, CutsAtEveryOtherByte) {
  for (int c = 0; c < 256; ++c) {
    bool part = std::isalnum(c) != 0 || c == '_' || c >= 0x80;
    std::string text = "a" + std::string(1, static_cast<char>(c)) + "b";
    EXPECT_EQ(words(text).size(), part ? 1u : 2u) << c;
  }
}

TEST(WordScan, FindsWordsAcrossBlocks) {
  for (std::size_t before : {0u, 1u, 60u, 62u, 63u, 64u, 65u, 127u}) {
    for (std::size_t length : {1u, 2u, 63u, 64u, 65u, 130u}) {
      std::string word(length, 'w'), text = std::string(before, ' ') + word;
      EXPECT_EQ(words(text), std::vector{word});
      EXPECT_EQ(words(text + ' '), std::vector{word});
    }
  }
  EXPECT_TRUE(words("").empty());
}

TEST(WordScan, HashesAllOfAWord) {
  std::set<std::uint32_t> seen;
  std::string word(40, 'x');
  for (std::size_t length = 1; length <= word.size(); ++length) {
    seen.insert(hash_word(std::string_view(word).substr(0, length)));
    for (std::size_t i = 0; i < length; ++i) {
      std::string other = word.substr(0, length);
      other[i] = 'y';
      seen.insert(hash_word(other));
    }
  }
  EXPECT_EQ(seen.size(), 40u + 40u * 41u / 2);
}

}  // namespace
}  // namespace ungate
