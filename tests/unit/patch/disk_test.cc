// Replacing single files: what is kept, what is refused, what other links see.
#include "patch/disk.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/xattr.h>
#include <time.h>

#include "base/hash.h"
#include "unit/support/temp_tree.h"

namespace ungate::patch {
namespace {

using testing_support::TempTree;

class Replace : public testing::Test {
 protected:
  Result<Replaced> replace(const std::string& path, std::string_view from, std::string_view to) {
    auto target = open_target(tree_.root(), path);
    if (!target) return std::unexpected(target.error());
    return replace_file(*target, to, sha256_hex(from), ".ungate-t-0.tmp");
  }
  struct stat info(const std::string& path) {
    struct stat s{};
    EXPECT_EQ(lstat(tree_.path(path).c_str(), &s), 0);
    return s;
  }
  TempTree tree_;
};

// uv and conda link installed files from a cache that all environments share.
TEST_F(Replace, OtherHardLinksKeepTheOldBytes) {
  tree_.file("cache/a.py", "old");
  tree_.folder("site");
  std::filesystem::create_hard_link(tree_.path("cache/a.py"), tree_.path("site/a.py"));
  ASSERT_TRUE(replace("site/a.py", "old", "new").has_value());
  EXPECT_EQ(tree_.read("site/a.py"), "new");
  EXPECT_EQ(tree_.read("cache/a.py"), "old");
  EXPECT_EQ(info("cache/a.py").st_nlink, 1u);
}

TEST_F(Replace, KeepsModeOwnerAndAttributes) {
  std::string path = tree_.file("a.py", "old");
  ASSERT_EQ(chmod(path.c_str(), 0751), 0);
  bool attributes = setxattr(path.c_str(), "user.ungate", "value", 5, 0) == 0;
  bool root = geteuid() == 0;
  if (root) {
    ASSERT_EQ(chown(path.c_str(), 1234, 4321), 0);
  }
  struct stat before = info("a.py");
  auto done = replace("a.py", "old", "new");
  ASSERT_TRUE(done.has_value());
  EXPECT_TRUE(done->owner_kept);
  struct stat after = info("a.py");
  EXPECT_EQ(after.st_mode, before.st_mode);
  EXPECT_EQ(after.st_uid, before.st_uid);
  EXPECT_EQ(after.st_gid, before.st_gid);
  if (attributes) {
    char value[8] = {};
    EXPECT_EQ(getxattr(path.c_str(), "user.ungate", value, sizeof value), 5);
    EXPECT_STREQ(value, "value");
  }
  RecordProperty("attributes", attributes ? "tested" : "this file system has none");
}

// ninja compares times: one that does not grow would keep what was built from the old bytes.
TEST_F(Replace, TimeIsNowAndLater) {
  std::string path = tree_.file("a.py", "old");
  timespec old_times[2] = {{0, UTIME_OMIT}, {1'000'000'000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), old_times, 0), 0);
  time_t now = time(nullptr);
  ASSERT_TRUE(replace("a.py", "old", "new").has_value());
  EXPECT_GE(info("a.py").st_mtim.tv_sec, now - 1);
  // A file from the future still gets a later time.
  timespec future[2] = {{0, UTIME_OMIT}, {now + 100'000, 5}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), future, 0), 0);
  ASSERT_TRUE(replace("a.py", "new", "newer").has_value());
  EXPECT_GT(info("a.py").st_mtim.tv_sec, now + 100'000);
}

TEST_F(Replace, RefusesLinksAnywhereBelowTheSite) {
  tree_.file("elsewhere/pkg/a.py", "old");
  tree_.folder("site/pkg");
  tree_.link("../elsewhere/pkg", "site/linked");
  tree_.link("../../elsewhere/pkg/a.py", "site/pkg/a.py");
  for (const char* path : {"site/linked/a.py", "site/pkg/a.py"}) {
    auto done = replace(path, "old", "new");
    ASSERT_FALSE(done.has_value()) << path;
    EXPECT_EQ(done.error().code, ErrorCode::refused);
    EXPECT_NE(done.error().what.find("elsewhere/pkg"), std::string::npos) << done.error().what;
  }
  EXPECT_EQ(open_target(tree_.path("site/linked"), "a.py").error().code, ErrorCode::refused);
  EXPECT_EQ(tree_.read("elsewhere/pkg/a.py"), "old");
}

TEST_F(Replace, RefusesOtherBytesAndLeavesNothingBehind) {
  tree_.file("a.py", "somebody's");
  EXPECT_EQ(replace("a.py", "old", "new").error().code, ErrorCode::drift);
  EXPECT_EQ(replace("none.py", "old", "new").error().code, ErrorCode::drift);
  EXPECT_EQ(replace("no/folder.py", "old", "new").error().code, ErrorCode::no_such_path);
  tree_.folder("folder.py");
  EXPECT_EQ(replace("folder.py", "old", "new").error().code, ErrorCode::refused);
  ASSERT_EQ(mkfifo(tree_.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(replace("pipe", "old", "new").error().code, ErrorCode::refused);
  EXPECT_EQ(tree_.read("a.py"), "somebody's");
  EXPECT_FALSE(tree_.exists(".ungate-t-0.tmp"));
}

TEST_F(Replace, TakesOverTheTemporaryOfAKilledRun) {
  tree_.file("a.py", "old");
  tree_.file(".ungate-t-0.tmp", "half");
  ASSERT_TRUE(replace("a.py", "old", "new").has_value());
  EXPECT_EQ(tree_.read("a.py"), "new");
  EXPECT_FALSE(tree_.exists(".ungate-t-0.tmp"));
}

TEST_F(Replace, EmptyAndBinaryBytes) {
  tree_.file("a.so", std::string("\0\xff\n\0", 4));
  ASSERT_TRUE(replace("a.so", std::string("\0\xff\n\0", 4), "").has_value());
  ASSERT_TRUE(replace("a.so", "", std::string(100'000, '\0')).has_value());
  EXPECT_EQ(tree_.read("a.so"), std::string(100'000, '\0'));
}

}  // namespace
}  // namespace ungate::patch
