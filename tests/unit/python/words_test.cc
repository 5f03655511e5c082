#include "python/words.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ungate::python {
namespace {

TEST(Words, FindsEachWord) {
  std::vector<std::string> seen;
  std::string_view text = "is_sm90(x) + 'gencode=compute_90a' # note\nabc";
  each_word(text, [&](WordHash hash, std::size_t at, std::size_t size) {
    seen.emplace_back(text.substr(at, size));
    EXPECT_EQ(hash, hash_word(text.substr(at, size)));
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"is_sm90", "gencode", "compute_90a", "note"}));
  EXPECT_EQ(words_of("aaaa bbbb aaaa").size(), 2u);
}

TEST(Words, SetsGrow) {
  WordSet set;
  EXPECT_FALSE(set.has(hash_word("nothing")));
  for (int i = 0; i < 1000; ++i) set.add("word_" + std::to_string(i));
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(set.has(hash_word("word_" + std::to_string(i))));
  EXPECT_FALSE(set.has(hash_word("word_1000")));
  EXPECT_EQ(set.size(), 1000u);
}

TEST(Words, MentionsOutsideCommentsAndDocstrings) {
  WordSet set;
  set.add("capability");
  auto in = [&](std::string_view text) { return mentions(text, {0, static_cast<std::uint32_t>(text.size())}, set); };
  EXPECT_TRUE(in("x = capability()"));
  EXPECT_TRUE(in("x = getattr(t, 'capability')"));
  EXPECT_TRUE(in("x = '#' + capability"));
  EXPECT_TRUE(in("'''doc''' + capability"));
  EXPECT_TRUE(in("f('\\'', capability)"));
  EXPECT_FALSE(in("x = 1  # capability\n"));
  EXPECT_FALSE(in("def f():\n  '''capability'''\n  return 1"));
  EXPECT_FALSE(in("capability_of"));
}

}  // namespace
}  // namespace ungate::python
