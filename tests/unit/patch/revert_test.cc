// Exact bytes back, newest run first, and what is refused or left alone.
#include "patch/revert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "unit/patch/patched_package.h"

namespace ungate::patch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string applied(const Plan& plan) {
  auto report = apply(plan, {}, quiet());
  EXPECT_TRUE(ok(report));
  return report ? report->run : std::string();
}

Error refusal(const PatchedPackage& package, const std::vector<std::string>& runs,
              bool force = false) {
  RevertOptions options;
  options.force = force;
  auto report = revert(package.root(), runs, options, quiet());
  EXPECT_FALSE(report.has_value());
  return report ? Error() : report.error();
}

TEST(Revert, GivesBackTheBytesOfRecordInReverseOrder) {
  struct Watch : Progress {
    void doing(std::string_view activity, const std::string& path, std::size_t,
               std::size_t) override {
      if (activity == "restoring") seen.push_back(path.substr(path.rfind('/') + 1));
    }
    std::vector<std::string> seen;
  } watch;
  PatchedPackage package;
  Plan plan = package.plan();
  std::string python = package.site() + '/' + std::string(kPython);
  chmod(python.c_str(), 0640);
  std::string run = applied(plan);
  struct stat ours{}, back{};
  stat(python.c_str(), &ours);
  auto report = revert(plan.root, {}, {}, watch);
  ASSERT_TRUE(ok(report));
  ASSERT_EQ(report->runs.size(), 1u);
  EXPECT_EQ(report->runs[0].run, run);
  EXPECT_EQ(report->runs[0].restored.size(), 3u);
  EXPECT_THAT(watch.seen, ElementsAre("comm.py", "comm.cu", "comm.cuh"));
  EXPECT_EQ(written_in_order(plan), 0u);
  EXPECT_EQ(record_mismatches(package), 0u);
  stat(python.c_str(), &back);
  EXPECT_EQ(back.st_mode & 07777, 0640u);
  EXPECT_TRUE(
      back.st_mtim.tv_sec > ours.st_mtim.tv_sec ||
      (back.st_mtim.tv_sec == ours.st_mtim.tv_sec && back.st_mtim.tv_nsec > ours.st_mtim.tv_nsec));
  EXPECT_THAT(kept_runs(plan.root), IsEmpty());
  auto again = revert(plan.root, {}, {}, quiet());
  ASSERT_TRUE(ok(again));
  EXPECT_THAT(again->runs, IsEmpty());
}

TEST(Revert, RunsAreNamedByTheBeginningOfTheirId) {
  PatchedPackage package;
  EXPECT_EQ(refusal(package, {}).code, ErrorCode::not_found);
  EXPECT_FALSE(package.tree().exists("env/.ungate"));
  std::string run = applied(package.plan());
  EXPECT_EQ(refusal(package, {"zz"}).code, ErrorCode::not_found);
  EXPECT_TRUE(ok(revert(package.root(), {run.substr(0, 2)}, {}, quiet())));
  Error error = refusal(package, {run});
  EXPECT_EQ(error.code, ErrorCode::not_found);
  EXPECT_THAT(error.what, HasSubstr("reverted"));
}

TEST(Revert, LaterRunsOnTheSameFileGoFirst) {
  PatchedPackage package;
  std::string pristine = package.read(kPython);
  std::string first = applied(package.plan());
  Plan more;
  more.root = package.root();
  more.files = {package.change(kPython, "12]", "12, 13]")};
  std::string second = applied(more);
  Error error = refusal(package, {first});
  EXPECT_EQ(error.code, ErrorCode::refused);
  EXPECT_THAT(error.what, HasSubstr("run " + second + " builds on run " + first));
  EXPECT_EQ(error.next, "ungate revert " + second + " " + first);
  EXPECT_THAT(package.read(kPython), HasSubstr("13"));

  auto report = revert(package.root(), {first, second}, {}, quiet());
  ASSERT_TRUE(ok(report));
  ASSERT_EQ(report->runs.size(), 2u);
  EXPECT_EQ(report->runs[0].run, second);
  EXPECT_EQ(package.read(kPython), pristine);
  EXPECT_EQ(record_mismatches(package), 0u);
}

// A run that found what it needs written already keeps the run that wrote it.
TEST(Revert, RunsThatOthersRelyOnStay) {
  PatchedPackage package;
  Plan all = package.plan(), needed = all, enabling = all;
  needed.files.pop_back();
  enabling.files = {all.files[2]};
  enabling.relies_on = {{package.site(), std::string(kHeader), all.files[0].after_sha256}};
  std::string first = applied(needed), second = applied(enabling);
  EXPECT_EQ(refusal(package, {first}).code, ErrorCode::refused);
  EXPECT_EQ(written_in_order(all), 3u);
  EXPECT_TRUE(ok(revert(package.root(), {second}, {}, quiet())));
  EXPECT_EQ(written_in_order(all), 2u);
  EXPECT_TRUE(ok(revert(package.root(), {first}, {}, quiet())));
  EXPECT_EQ(written_in_order(all), 0u);
}

// The same when the whole plan is given again and the rest is found written.
TEST(Revert, RunsThatFoundTheRestWrittenRelyOnIt) {
  PatchedPackage package;
  Plan all = package.plan(), needed = all;
  needed.files.pop_back();
  std::string first = applied(needed), second = applied(all);
  EXPECT_EQ(refusal(package, {first}).code, ErrorCode::refused);
  EXPECT_EQ(written_in_order(all), 3u);
  EXPECT_EQ(revert(package.root(), {}, {}, quiet())->runs.size(), 2u);
  EXPECT_EQ(record_mismatches(package), 0u);
}

TEST(Revert, EditedFilesStopItBeforeAnythingChanges) {
  PatchedPackage package;
  Plan plan = package.plan();
  std::string run = applied(plan);
  package.write(kHeader, "my own\n");
  Error error = refusal(package, {});
  EXPECT_EQ(error.code, ErrorCode::drift);
  EXPECT_THAT(error.where, HasSubstr("comm.cuh"));
  EXPECT_EQ(package.read(kPython), plan.files[2].after);
  EXPECT_TRUE(Journal::read(plan.root)->find(run)->stands());

  RevertOptions force;
  force.force = true;
  ASSERT_TRUE(ok(revert(plan.root, {}, force, quiet())));
  EXPECT_EQ(record_mismatches(package), 0u);
  EXPECT_EQ(package.tree().read("env/.ungate/runs/" + run + "/edited-" + sha256_hex("my own\n")),
            "my own\n");
  EXPECT_TRUE(recover(plan.root, {}, quiet())->empty());  // the copy is no left-over
}

TEST(Revert, UpgradedPackagesAreLeftAlone) {
  PatchedPackage package;
  std::string run = applied(package.plan());
  package.write(kHeader, "#if ARCH < 1300\n");
  package.write(kSource, "new\n");
  package.write(kPython, "majors = [9, 10, 12]  # 0.6.14\n");
  package.install("0.6.14");
  RevertOptions force;
  force.force = true;
  auto report = revert(package.root(), {}, force, quiet());
  ASSERT_TRUE(ok(report));
  EXPECT_THAT(report->runs[0].restored, IsEmpty());
  ASSERT_EQ(report->runs[0].left_alone.size(), 3u);
  EXPECT_EQ(report->runs[0].left_alone[0].state, FileState::superseded);
  EXPECT_EQ(report->runs[0].left_alone[0].why, "fi 0.6.14 was installed over 0.6.3");
  EXPECT_EQ(package.read(kSource), "new\n");
  EXPECT_EQ(Journal::read(package.root())->find(run)->state, patch::Run::State::reverted);
}

// A run on an old version does not hold up those on the new one, in either order.
TEST(Revert, RunsOnBothSidesOfAnUpgrade) {
  PatchedPackage package;
  std::string first = applied(package.plan());
  package.write(kPython, "majors = [9, 10]  # 0.6.14\n");
  package.install("0.6.14");
  Plan next;
  next.root = package.root();
  next.files = {package.change(kPython, "10]", "10, 12]")};
  std::string second = applied(next);
  auto report = status(package.root(), process_variables(), 1);
  ASSERT_TRUE(ok(report));
  EXPECT_EQ(report->runs[0].files[2].state, FileState::superseded);
  EXPECT_EQ(report->runs[1].condition, RunCondition::as_applied);
  EXPECT_TRUE(ok(revert(package.root(), {first}, {}, quiet())));
  EXPECT_THAT(package.read(kPython), HasSubstr("12]  # 0.6.14"));
  EXPECT_TRUE(ok(revert(package.root(), {second}, {}, quiet())));
  EXPECT_EQ(package.read(kPython), "majors = [9, 10]  # 0.6.14\n");
}

TEST(Revert, PristineAndMissingFilesAreLeftAlone) {
  PatchedPackage package;
  Plan plan = package.plan();
  applied(plan);
  package.write(kHeader, plan.files[0].before);
  std::filesystem::remove(package.site() + '/' + std::string(kSource));
  auto report = revert(plan.root, {}, {}, quiet());
  ASSERT_TRUE(ok(report));
  EXPECT_EQ(report->runs[0].restored.size(), 1u);
  ASSERT_EQ(report->runs[0].left_alone.size(), 2u);
  EXPECT_EQ(report->runs[0].left_alone[0].state, FileState::pristine);
  EXPECT_EQ(report->runs[0].left_alone[1].state, FileState::missing);
  EXPECT_FALSE(package.tree().exists(package.at(kSource)));
  EXPECT_EQ(package.read(kPython), plan.files[2].before);
}

TEST(Revert, DamagedOriginalsAreNotWritten) {
  PatchedPackage package;
  Plan plan = package.plan();
  std::string run = applied(plan);
  package.tree().file("env/.ungate/runs/" + run + "/" + plan.files[1].before_sha256, "damaged");
  Error error = refusal(package, {});
  EXPECT_EQ(error.code, ErrorCode::drift);
  EXPECT_THAT(error.what, HasSubstr("damaged"));
  EXPECT_EQ(written_in_order(plan), 2u);
  // The enabling file is back already; what remains waits for the originals.
  EXPECT_EQ(recover(plan.root, {}, quiet()).error().code, ErrorCode::drift);
  package.tree().file("env/.ungate/runs/" + run + "/" + plan.files[1].before_sha256,
                      plan.files[1].before);
  EXPECT_TRUE(ok(recover(plan.root, {}, quiet())));
  EXPECT_EQ(record_mismatches(package), 0u);
}

TEST(Revert, CancelledBetweenFilesIsEndedByTheNextCommand) {
  struct CancelAt : Progress {
    void doing(std::string_view activity, const std::string&, std::size_t n, std::size_t) override {
      if (activity == "restoring" && n == 1) cancel = true;
    }
    std::atomic<bool> cancel = false;
  } progress;
  PatchedPackage package;
  Plan plan = package.plan();
  std::string run = applied(plan);
  RevertOptions options;
  options.cancel = &progress.cancel;
  auto report = revert(plan.root, {}, options, progress);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, ErrorCode::interrupted);
  EXPECT_EQ(report.error().what, "interrupted; 1 of 3 files were put back");
  EXPECT_EQ(written_in_order(plan), 2u);
  auto mended = recover(plan.root, {}, quiet());
  ASSERT_TRUE(ok(mended));
  ASSERT_EQ(mended->runs.size(), 1u);
  EXPECT_EQ(mended->runs[0].how, Recovered::How::reverted);
  EXPECT_EQ(mended->runs[0].restored.size(), 2u);
  EXPECT_EQ(record_mismatches(package), 0u);
}

// Somebody edits a file of a run that was killed: ending it is left to the user.
TEST(Recover, EditedFilesOfAnInterruptedRunNeedForce) {
  PatchedPackage package;
  Plan plan = package.plan();
  for (int k = 1; written_in_order(plan) != 2; ++k) {
    ASSERT_LT(k, 300);
    in_child([&] {
      setenv("UNGATE_TEST_KILL_AT", std::to_string(k).c_str(), 1);
      (void)recover(plan.root, {}, quiet());
      (void)apply(plan, {}, quiet());
    });
  }
  package.write(kSource, "mine");
  auto stuck = recover(plan.root, {}, quiet());
  ASSERT_FALSE(stuck.has_value());
  EXPECT_EQ(stuck.error().code, ErrorCode::drift);
  EXPECT_EQ(package.read(kHeader), plan.files[0].after);
  RecoverOptions force;
  force.force = true;
  auto report = recover(plan.root, force, quiet());
  ASSERT_TRUE(ok(report));
  EXPECT_EQ(report->runs[0].how, Recovered::How::undone);
  EXPECT_EQ(record_mismatches(package), 0u);
}

}  // namespace
}  // namespace ungate::patch
