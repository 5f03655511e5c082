#include "audit/walk.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace ungate::audit {
namespace {

namespace fs = std::filesystem;

class WalkTest : public testing::Test {
 protected:
  WalkTest() : root(fs::path(testing::TempDir()) / ("ungate_walk_" + std::to_string(getpid()))) { fs::create_directories(root); }
  ~WalkTest() override { fs::remove_all(root); }

  void file(const std::string& path) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << "x";
  }
  std::string found(std::vector<std::string> globs = {}) {
    Walk w = walk({root.string()}, globs, 2, no);
    std::string out;
    for (const FoundFile& f : w.files) out += f.path + ' ';
    return out;
  }

  fs::path root;
  std::atomic<bool> no{false};
};

TEST_F(WalkTest, FindsSourcesInOrder) {
  for (const char* path : {"b/x.py", "a/y.cuh", "a/z.txt", "a/__pycache__/y.pyc", "a/.git/c.py", "lib.so.1.2", "b/deep/er/k.cu"}) file(path);
  EXPECT_EQ(found(), "a/y.cuh b/deep/er/k.cu b/x.py lib.so.1.2 ");
  EXPECT_EQ(found({"b/*"}), "a/y.cuh lib.so.1.2 ");
}

TEST_F(WalkTest, LinksDoNotLoop) {
  file("a/x.py");
  fs::create_directory_symlink(root, root / "a" / "loop");
  fs::create_directory_symlink(root / "a", root / "zz");
  fs::create_symlink(root / "nowhere", root / "dangling.py");
  EXPECT_EQ(found(), "a/x.py ");
  fs::create_symlink(root / "a" / "x.py", root / "link.py");
  EXPECT_EQ(found(), "a/x.py link.py ");
}

TEST_F(WalkTest, WhatCannotBeReadIsListed) {
  file("a/x.py");
  file("locked/y.py");
  chmod((root / "locked").c_str(), 0);
  // Root can read every folder, so it looks as somebody else.
  bool is_root = geteuid() == 0;
  ASSERT_EQ(is_root ? seteuid(65534) : 0, 0);
  Walk w = walk({root.string()}, {}, 2, no);
  ASSERT_EQ(is_root ? seteuid(0) : 0, 0);
  chmod((root / "locked").c_str(), 0700);
  EXPECT_EQ(w.files.size(), 1u);
  ASSERT_EQ(w.unread.size(), 1u);
  EXPECT_TRUE(w.unread[0].path.ends_with("locked"));
}

TEST_F(WalkTest, AMissingRootIsListed) {
  EXPECT_EQ(walk({(root / "no").string()}, {}, 1, no).unread.size(), 1u);
}

// Whatever is done to a file shows, without a look into it.
TEST_F(WalkTest, AFingerprintTellsWhatWasTouched) {
  for (const char* path : {"p/x.py", "p/y.so", "p/z.txt", "p-1.0.dist-info/RECORD", "p/__pycache__/x.pyc"}) file(path);
  auto stamp = [&] { return fingerprint({root.string()}, 2, no); };
  std::uint64_t first = stamp();
  EXPECT_EQ(stamp(), first);
  EXPECT_EQ(fingerprint({root.string()}, 1, no), first);
  file("p/__pycache__/other.pyc");
  EXPECT_EQ(stamp(), first);

  std::set<std::uint64_t> seen{first};
  auto changed = [&](const char* what) { EXPECT_TRUE(seen.insert(stamp()).second) << what; };
  std::ofstream(root / "p/x.py", std::ios::app) << "y";
  changed("longer");
  auto when = fs::last_write_time(root / "p/z.txt");
  std::ofstream(root / "p/z.txt") << "z";
  fs::last_write_time(root / "p/z.txt", when);
  changed("the same size and time of writing");
  fs::rename(root / "p/y.so", root / "p/w.so");
  changed("another name");
  file("p/new");
  changed("one more");
  fs::remove(root / "p-1.0.dist-info/RECORD");
  changed("one less");
  fs::permissions(root / "p/x.py", fs::perms::owner_read);
  changed("other permissions");
}

}  // namespace
}  // namespace ungate::audit
