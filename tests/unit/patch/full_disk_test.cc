// Real conditions of the disk: full, read-only, not ours. Each in a child process of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <fstream>

#include "unit/patch/patched_package.h"

namespace ungate::patch {
namespace {

using testing::HasSubstr;

// A mount namespace of the child's own, as root or as the root of a user namespace.
bool may_mount() {
  uid_t user = geteuid();
  gid_t group = getegid();
  if (user != 0) {
    if (unshare(CLONE_NEWUSER) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
    std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  }
  if (unshare(CLONE_NEWNS) != 0) return false;
  return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// A file system of its own over `folder`, with what was in it and only a little room.
bool fill_up(const std::string& folder, const std::string& spare) {
  std::filesystem::copy(folder, spare, std::filesystem::copy_options::recursive);
  if (!may_mount() || mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=1m") != 0) return false;
  std::filesystem::copy(spare, folder, std::filesystem::copy_options::recursive);
  // All but 64 KB: room for two files and the journal, not for everything.
  std::ofstream filler(folder + "/filler");
  filler << std::string(4 << 20, 'x') << std::flush;
  std::error_code ignored;
  auto size = std::filesystem::file_size(folder + "/filler", ignored);
  return !ignored &&
         truncate((folder + "/filler").c_str(), static_cast<off_t>(size - (64 << 10))) == 0;
}

TEST(FullDisk, LeavesWholeFilesAndAJournalThatSaysSo) {
  PatchedPackage package;
  Plan plan = package.plan();
  int status = in_child([&] {
    if (!fill_up(package.root(), package.tree().path("spare"))) _exit(77);
    auto report = apply(plan, {}, quiet());
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, ErrorCode::no_space) << to_text(report.error());
    EXPECT_EQ(written_in_order(plan), 0u);
    EXPECT_TRUE(temporaries(package).empty());
    EXPECT_EQ(Journal::read(plan.root)->interrupted(), nullptr);
    // With room again the same plan goes through.
    std::filesystem::remove(package.root() + "/filler");
    EXPECT_TRUE(ok(apply(plan, {}, quiet())));
    EXPECT_EQ(written_in_order(plan), 3u);
  });
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no right to mount a file system";
  EXPECT_EQ(status, 0);
}

// What can be had without any rights: the kernel cuts writes short at a limit on file sizes.
TEST(FullDisk, WritesThatAreCutShort) {
  PatchedPackage package;
  Plan plan = package.plan();
  int status = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 10'000;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_FALSE(apply(plan, {}, quiet()).has_value());
    EXPECT_EQ(written_in_order(plan), 0u);
    EXPECT_TRUE(temporaries(package).empty());
    // The originals fit, the second file does not.
    limit.rlim_cur = 20'500;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    std::string longer(1000, '+');
    plan.files[1] = package.change(kSource, "tp_size", longer);
    auto report = apply(plan, {}, quiet());
    ASSERT_FALSE(report.has_value());
    EXPECT_THAT(report.error().what, HasSubstr("1 written file was put back"));
    EXPECT_EQ(written_in_order(plan), 0u);
    limit.rlim_cur = limit.rlim_max;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_TRUE(ok(apply(plan, {}, quiet())));
  });
  EXPECT_EQ(status, 0);
}

// Room for the originals and the journal, then none: files are written already when it happens.
TEST(FullDisk, HalfWayThroughTheFiles) {
  PatchedPackage package;
  Plan plan = package.plan();
  int status = in_child([&] {
    if (!fill_up(package.root(), package.tree().path("spare"))) _exit(77);
    std::filesystem::resize_file(
        package.root() + "/filler",
        std::filesystem::file_size(package.root() + "/filler") - (20 << 10));
    struct Fill : Progress {
      explicit Fill(std::string p) : path(std::move(p)) {}
      void doing(std::string_view activity, const std::string&, std::size_t n,
                 std::size_t) override {
        if (activity == "writing" && n == 2) std::ofstream(path) << std::string(1 << 20, 'x');
        if (activity == "restoring" && n == 1) std::filesystem::remove(path);
      }
      std::string path;
    } fill(package.root() + "/more");
    auto report = apply(plan, {}, fill);
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, ErrorCode::no_space);
    EXPECT_THAT(report.error().what, HasSubstr("1 written file was put back"));
    EXPECT_EQ(written_in_order(plan), 0u);
    EXPECT_EQ(Journal::read(plan.root)->runs().back().state, patch::Run::State::undone);
  });
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no right to mount a file system";
  EXPECT_EQ(status, 0);
}

TEST(ReadOnly, FoldersThatAreNotOurs) {
  PatchedPackage package;
  Plan plan = package.plan();
  chmod(package.tree().root().c_str(), 0755);
  std::string folder = package.site() + "/fi/jit";
  chmod(folder.c_str(), 0555);
  int status = in_child([&] {
    if (geteuid() == 0) {
      // The package's owner is a user who may write everything but one folder.
      for (const auto& entry : std::filesystem::recursive_directory_iterator(package.root())) {
        if (entry.path() == folder) continue;
        ASSERT_EQ(lchown(entry.path().c_str(), 65534, 65534), 0);
      }
      ASSERT_EQ(chown(package.root().c_str(), 65534, 65534), 0);
      ASSERT_EQ(setuid(65534), 0);
    }
    auto report = apply(plan, {}, quiet());
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, ErrorCode::read_only);
    EXPECT_THAT(report.error().where, HasSubstr("fi/jit/comm.py"));
    EXPECT_THAT(to_text(report.error()), HasSubstr("ungate plan --output"));
    EXPECT_EQ(written_in_order(plan), 0u);
    EXPECT_FALSE(package.tree().exists("env/.ungate"));
  });
  EXPECT_EQ(status, 0);
  chmod(folder.c_str(), 0755);
}

TEST(ReadOnly, ReadOnlyFileSystem) {
  PatchedPackage package;
  Plan plan = package.plan();
  int status = in_child([&] {
    std::string root = package.root();
    if (!may_mount() || mount(root.c_str(), root.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        mount(nullptr, root.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) {
      _exit(77);
    }
    auto report = apply(plan, {}, quiet());
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, ErrorCode::read_only) << to_text(report.error());
    EXPECT_TRUE(ok(recover(plan.root, {}, quiet())));
    EXPECT_TRUE(ok(patch::status(plan.root, process_variables(), 1)));
  });
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no right to mount";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ungate::patch
