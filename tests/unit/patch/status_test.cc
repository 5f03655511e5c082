#include "patch/status.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <time.h>

#include "unit/patch/patched_package.h"

namespace ungate::patch {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

StatusReport now(const PatchedPackage& package) {
  auto report = status(package.root(), process_variables(), 2);
  EXPECT_TRUE(ok(report));
  return report.value_or(StatusReport());
}

class Applied : public testing::Test {
 protected:
  Applied() : plan_(package_.plan()) {
    auto report = apply(plan_, {}, quiet());
    EXPECT_TRUE(ok(report));
    run_ = report->run;
  }
  PatchedPackage package_;
  Plan plan_;
  std::string run_;
};

TEST_F(Applied, AsAppliedWithItsMismatchesExplained) {
  StatusReport report = now(package_);
  ASSERT_EQ(report.runs.size(), 1u);
  EXPECT_EQ(report.runs[0].condition, RunCondition::as_applied);
  EXPECT_EQ(report.runs[0].why, "");
  EXPECT_FALSE(report.differs());
  EXPECT_THAT(report.left_overs, IsEmpty());
  ASSERT_EQ(report.mismatches.size(), 3u);
  for (const RecordMismatch& m : report.mismatches) EXPECT_EQ(m.run, run_) << m.path;
  EXPECT_EQ(report.mismatches[0].package, "fi");
}

TEST_F(Applied, EditedFile) {
  package_.write(kSource, "mine");
  package_.write("fi/__init__.py", "mine too");
  StatusReport report = now(package_);
  EXPECT_EQ(report.runs[0].condition, RunCondition::drifted);
  EXPECT_THAT(report.runs[0].why, HasSubstr("comm.cu was edited since"));
  EXPECT_EQ(report.runs[0].files[1].state, FileState::foreign);
  EXPECT_TRUE(report.differs());
  std::size_t foreign = 0;
  for (const RecordMismatch& m : report.mismatches) foreign += m.run.empty();
  EXPECT_EQ(foreign, 2u);
}

TEST_F(Applied, ReinstalledPackage) {
  for (const FileChange& c : plan_.files) package_.write(c.path, c.before);
  StatusReport report = now(package_);
  EXPECT_EQ(report.runs[0].condition, RunCondition::drifted);
  EXPECT_THAT(report.runs[0].why,
              HasSubstr("has the bytes from before the run again (and 2 more)"));
  EXPECT_THAT(report.mismatches, IsEmpty());
}

TEST_F(Applied, UpgradedPackage) {
  for (const FileChange& c : plan_.files) package_.write(c.path, "new version\n");
  package_.install("0.6.14");
  StatusReport report = now(package_);
  EXPECT_EQ(report.runs[0].condition, RunCondition::superseded);
  EXPECT_THAT(report.runs[0].why, HasSubstr("fi 0.6.14 was installed over 0.6.3"));
  EXPECT_TRUE(report.differs());
  EXPECT_THAT(report.mismatches, IsEmpty());
}

TEST_F(Applied, RemovedPackage) {
  std::filesystem::remove_all(package_.site() + "/fi");
  std::filesystem::remove_all(package_.site() + "/fi-0.6.3.dist-info");
  StatusReport report = now(package_);
  EXPECT_EQ(report.runs[0].condition, RunCondition::superseded);
  EXPECT_THAT(report.runs[0].why, HasSubstr("fi 0.6.3 is not installed any more"));
}

TEST_F(Applied, FileEditedFurtherByALaterRunIsOurs) {
  Plan more;
  more.root = package_.root();
  more.files = {package_.change(kPython, "12]", "12, 13]")};
  auto second = apply(more, {}, quiet());
  ASSERT_TRUE(ok(second));
  StatusReport report = now(package_);
  ASSERT_EQ(report.runs.size(), 2u);
  EXPECT_EQ(report.runs[0].condition, RunCondition::as_applied);
  EXPECT_EQ(report.runs[0].files[2].why, "edited further by run " + second->run);
  EXPECT_FALSE(report.differs());
}

TEST_F(Applied, RevertedRunsAreHistory) {
  ASSERT_TRUE(ok(revert(package_.root(), {}, {}, quiet())));
  StatusReport report = now(package_);
  EXPECT_EQ(report.runs[0].condition, RunCondition::ended);
  EXPECT_EQ(report.runs[0].why, "reverted");
  EXPECT_FALSE(report.differs());
  EXPECT_THAT(report.mismatches, IsEmpty());
}

TEST_F(Applied, CachesBuiltBeforeAreStaleLaterOnesAreNot) {
  std::string before = package_.tree().file("cache/0.6.3/120a/cached_ops/trtllm_comm/a.so", "x");
  package_.tree().file("cache/0.6.3/120f/cached_ops/trtllm_comm/a.so", "x");
  timespec old_times[2] = {{0, UTIME_OMIT}, {1'000'000'000, 0}},
           later[2] = {{0, UTIME_OMIT}, {time(nullptr) + 60, 0}};
  utimensat(AT_FDCWD, before.c_str(), old_times, 0);
  utimensat(AT_FDCWD, package_.tree().path("cache/0.6.3/120f/cached_ops/trtllm_comm/a.so").c_str(),
            later, 0);
  StatusReport report = now(package_);
  ASSERT_EQ(report.runs[0].caches.size(), 2u);
  EXPECT_TRUE(report.runs[0].caches[0].stale);
  EXPECT_FALSE(report.runs[0].caches[1].stale);
}

TEST(Status, InterruptedRunsAndLeftOvers) {
  std::size_t with_temporaries = 0, with_folders = 0, interrupted = 0;
  for (int k = 1; k < 40; ++k) {
    PatchedPackage package;
    Plan plan = package.plan();
    in_child([&] {
      setenv("UNGATE_TEST_KILL_AT", std::to_string(k).c_str(), 1);
      (void)apply(plan, {}, quiet());
    });
    StatusReport report = now(package);
    std::vector<std::string> there = temporaries(package);
    for (const std::string& path : there) {
      EXPECT_THAT(report.left_overs, testing::Contains(path)) << k;
    }
    with_temporaries += !there.empty();
    if (report.runs.empty()) {
      with_folders += !report.left_overs.empty();
    } else {
      ++interrupted;
      EXPECT_EQ(report.runs[0].condition, RunCondition::interrupted);
      EXPECT_THAT(report.runs[0].why, HasSubstr("of 3 files hold what it wrote"));
      EXPECT_TRUE(report.differs());
    }
  }
  EXPECT_GT(with_temporaries, 2u);
  EXPECT_GT(with_folders, 2u);
  EXPECT_GT(interrupted, 2u);
}

TEST(Status, NothingAppliedYet) {
  PatchedPackage package;
  StatusReport report = now(package);
  EXPECT_THAT(report.runs, IsEmpty());
  EXPECT_FALSE(report.differs());
  EXPECT_FALSE(package.tree().exists("env/.ungate"));
}

}  // namespace
}  // namespace ungate::patch
