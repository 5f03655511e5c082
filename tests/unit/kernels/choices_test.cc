// Tables of measured choices.
#include "host/choices.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstdlib>

namespace arf {
namespace {

const Machine kMachine{13000, {"00ff", "11ee"}};
const std::vector<Choice> kTable{{2, 677, 16, ARF_ONESHOT, 4, 1, 0, 0},
                                 {2, 677, INT_MAX, ARF_NCCL, 1, 1, 0, 0},
                                 {2, INT_MAX, 8, ARF_ONESHOT, 1, 2, 88, 100},
                                 {4, INT_MAX, INT_MAX, ARF_TWOSHOT, 1, 1, 0, 0}};

TEST(Choices, AreReadAsTheyWereWritten) {
  const std::vector<Choice> got = read_choices(write_choices(kMachine, kTable), kMachine, 2);
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].cluster, 4);
  EXPECT_EQ(got[1].algorithm, ARF_NCCL);
  EXPECT_EQ(got[2].units, 88);
  EXPECT_EQ(got[2].pause_ns, 100);
}

TEST(Choices, AreFoundBySize) {
  EXPECT_EQ(find_choice(kTable, 2, 512, 16), &kTable[0]);
  EXPECT_EQ(find_choice(kTable, 2, 512, 17), &kTable[1]);
  EXPECT_EQ(find_choice(kTable, 2, 896, 1), &kTable[2]);
  EXPECT_EQ(find_choice(kTable, 2, 896, 9), nullptr);
  EXPECT_EQ(find_choice(kTable, 8, 512, 1), nullptr);
}

// A table is of one machine: one device that it does not name, or another driver, and it is not
// used.
TEST(Choices, OfAnotherMachineAreNotTaken) {
  const std::string text = write_choices(kMachine, kTable);
  EXPECT_EQ(read_choices(text, {13000, {"11ee"}}, 2).size(), 3u);
  EXPECT_TRUE(read_choices(text, {13000, {"11ee", "22dd"}}, 2).empty());
  EXPECT_TRUE(read_choices(text, {12090, {"11ee"}}, 2).empty());
}

TEST(Choices, OfATextThatIsNoneAreNone) {
  const std::string text = write_choices(kMachine, kTable);
  EXPECT_TRUE(read_choices("", kMachine, 2).empty());
  EXPECT_TRUE(read_choices(text + "2 5 5\n", kMachine, 2).empty());
  EXPECT_TRUE(read_choices(text + "2 5 5 1 3 1 0 0\n", kMachine, 2).empty());  // a cluster of three
  EXPECT_TRUE(read_choices(text + "2 5 5 1 4 1 0 0 0\n", kMachine, 2).empty());
}

TEST(Choices, BuiltInAreInOrderAndComplete) {
  const std::vector<Choice>& c = built_in_choices();
  ASSERT_FALSE(c.empty());
  for (const int packs : {64, 512, 896, 2048})
    for (const int tokens : {1, 8, 32, 64, 128, 256, 512, 4096})
      EXPECT_NE(find_choice(c, 2, packs, tokens), nullptr) << packs << ' ' << tokens;
}

TEST(Choices, FileIsNamedByTheEnvironment) {
  ASSERT_EQ(setenv("ARF_CHOICES", "/some/file", 1), 0);
  EXPECT_EQ(choices_file(2, ARF_TRANSPORT_PEER), "/some/file");
  ASSERT_EQ(unsetenv("ARF_CHOICES"), 0);
  ASSERT_EQ(setenv("XDG_CACHE_HOME", "/cache", 1), 0);
  EXPECT_EQ(choices_file(4, ARF_TRANSPORT_HOST), "/cache/ungate/arf-choices-4-host.txt");
}

}  // namespace
}  // namespace arf
