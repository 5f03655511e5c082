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

TEST(Words, LookedForAsAttributesAreFoundWhereTheyCanBeOne) {
  WordSet set;
  set.add_attribute("quantization");
  auto holds = [&](std::string_view text) {
    auto words = words_of(text);
    return std::ranges::any_of(words, [&](WordHash w) { return set.has(w); });
  };
  EXPECT_TRUE(holds("if args.quantization == 'fp8':"));
  EXPECT_TRUE(holds("getattr(args, \"quantization\", None)"));
  EXPECT_FALSE(holds("quantization = 'fp8'"));
  // The path of an import names no attribute.
  EXPECT_FALSE(holds("from vllm.quantization import fp8\n  import a.quantization as q"));
  EXPECT_TRUE(holds("from a.b import c\nx = c.quantization"));
  EXPECT_TRUE(mentions("x.quantization", {0, 14}, set));
  EXPECT_FALSE(mentions("quantization()", {0, 14}, set));
}

}  // namespace
}  // namespace ungate::python
