// What apply writes, what it refuses, and what it says.
#include "patch/apply.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "patch/check.h"
#include "unit/patch/patched_package.h"

namespace ungate::patch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Error refusal(const Plan& plan, bool force = false) {
  ApplyOptions options;
  options.force = force;
  auto report = apply(plan, options, quiet());
  EXPECT_FALSE(report.has_value());
  return report ? Error() : report.error();
}

TEST(Apply, WritesInOrderAndSaysSo) {
  struct Watch : Progress {
    void doing(std::string_view activity, const std::string& path, std::size_t n,
               std::size_t total) override {
      seen.push_back(std::string(activity) + ' ' + path.substr(path.rfind('/') + 1) + ' ' +
                     std::to_string(n) + '/' + std::to_string(total));
    }
    std::vector<std::string> seen;
  } watch;
  PatchedPackage package;
  Plan plan = package.plan();
  auto report = apply(plan, {}, watch);
  ASSERT_TRUE(ok(report));
  EXPECT_TRUE(report->changed());
  EXPECT_EQ(written_in_order(plan), 3u);
  EXPECT_THAT(watch.seen,
              ElementsAre("writing comm.cuh 1/3", "writing comm.cu 2/3", "writing comm.py 3/3"));
  EXPECT_EQ(report->written.size(), 3u);
  EXPECT_EQ(report->written[0], package.site() + "/" + std::string(kHeader));
  EXPECT_THAT(temporaries(package), IsEmpty());
}

TEST(Apply, AgainChangesNothingAndSaysSo) {
  PatchedPackage package;
  Plan plan = package.plan();
  ASSERT_TRUE(ok(apply(plan, {}, quiet())));
  std::string journal = package.tree().read("env/.ungate/journal");
  struct stat before{}, after{};
  stat(package.tree().path(package.at(kPython)).c_str(), &before);
  auto again = apply(plan, {}, quiet());
  ASSERT_TRUE(ok(again));
  EXPECT_FALSE(again->changed());
  EXPECT_THAT(again->written, IsEmpty());
  EXPECT_EQ(again->unchanged.size(), 3u);
  stat(package.tree().path(package.at(kPython)).c_str(), &after);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
  EXPECT_EQ(package.tree().read("env/.ungate/journal"), journal);
  EXPECT_FALSE(apply(Plan(), {}, quiet())->changed());
}

TEST(Apply, OneFileWrittenByHandAlready) {
  PatchedPackage package;
  Plan plan = package.plan();
  package.write(kHeader, plan.files[0].after);
  auto report = apply(plan, {}, quiet());
  ASSERT_TRUE(ok(report));
  EXPECT_EQ(report->written.size(), 2u);
  EXPECT_EQ(report->unchanged.size(), 1u);
  // Only what was written is taken back.
  ASSERT_TRUE(ok(revert(plan.root, {}, {}, quiet())));
  EXPECT_EQ(package.read(kHeader), plan.files[0].after);
  EXPECT_EQ(package.read(kPython), plan.files[2].before);
}

TEST(Apply, HardLinkedPackagesOfOtherEnvironmentsStay) {
  PatchedPackage package;
  Plan plan = package.plan();
  for (const FileChange& c : plan.files) {
    std::string cached = package.tree().path("uv-cache-" + sha256_hex(c.path).substr(0, 8));
    std::filesystem::create_hard_link(c.site + '/' + c.path, cached);
  }
  ASSERT_TRUE(ok(apply(plan, {}, quiet())));
  ASSERT_TRUE(ok(revert(plan.root, {}, {}, quiet())));
  ASSERT_TRUE(ok(apply(plan, {}, quiet())));
  for (const FileChange& c : plan.files) {
    EXPECT_EQ(package.tree().read("uv-cache-" + sha256_hex(c.path).substr(0, 8)), c.before);
  }
}

TEST(Apply, RefusesLinkedPackages) {
  PatchedPackage package;
  Plan plan = package.plan();
  std::filesystem::rename(package.site() + "/fi", package.tree().path("shared"));
  std::filesystem::create_symlink(package.tree().path("shared"), package.site() + "/fi");
  for (bool force : {false, true}) {
    Error error = refusal(plan, force);
    EXPECT_EQ(error.code, ErrorCode::refused);
    EXPECT_THAT(error.what, HasSubstr("symbolic link to " + package.tree().path("shared")));
    EXPECT_THAT(error.what, HasSubstr("2 refusals"));
  }
  EXPECT_FALSE(package.tree().exists("env/.ungate"));
}

TEST(Apply, GitCheckoutsNeedForce) {
  PatchedPackage package;
  package.tree().folder(package.at("fi/.git"));
  Plan plan = package.plan();
  Error error = refusal(plan);
  EXPECT_EQ(error.code, ErrorCode::refused);
  EXPECT_THAT(error.what, HasSubstr("git checkout " + package.site() + "/fi"));
  EXPECT_EQ(written_in_order(plan), 0u);
  ApplyOptions force;
  force.force = true;
  EXPECT_TRUE(ok(apply(plan, force, quiet())));
}

// A project keeps its environment inside its checkout; that is no part of it.
TEST(Apply, EnvironmentInsideACheckoutIsFine) {
  PatchedPackage package, target(false);
  package.tree().folder(".git");
  target.tree().folder(".git");
  EXPECT_TRUE(ok(apply(package.plan(), {}, quiet())));
  EXPECT_TRUE(ok(apply(target.plan(), {}, quiet())));
}

TEST(Apply, FilesThatChangedSinceThePlanAreRefusedAlways) {
  PatchedPackage package;
  Plan plan = package.plan();
  package.write(kSource, "something else");
  EXPECT_EQ(refusal(plan).code, ErrorCode::drift);
  EXPECT_EQ(refusal(plan, true).code, ErrorCode::drift);
  EXPECT_EQ(package.read(kHeader), plan.files[0].before);
  std::filesystem::remove(package.site() + '/' + std::string(kSource));
  EXPECT_THAT(refusal(plan).what, HasSubstr("not there any more"));
}

TEST(Apply, FilesThatDifferFromRecordNeedForce) {
  PatchedPackage package;
  package.write(kHeader, "#if ARCH < 1200  // my own\n");
  Plan plan = package.plan();
  Error error = refusal(plan);
  EXPECT_EQ(error.code, ErrorCode::refused);
  EXPECT_THAT(error.what, HasSubstr("edited since fi 0.6.3 was installed"));
  EXPECT_THAT(error.where, HasSubstr("comm.cuh"));
  ApplyOptions force;
  force.force = true;
  ASSERT_TRUE(ok(apply(plan, force, quiet())));
  ASSERT_TRUE(ok(revert(plan.root, {}, {}, quiet())));
  EXPECT_EQ(package.read(kHeader), "#if ARCH < 1200  // my own\n");
}

TEST(Apply, OwnEarlierRunsExplainARecordMismatch) {
  PatchedPackage package;
  ASSERT_TRUE(ok(apply(package.plan(), {}, quiet())));
  Plan second;
  second.root = package.root();
  second.files = {package.change(kPython, "12]", "12, 13]")};
  EXPECT_TRUE(ok(apply(second, {}, quiet())));
  EXPECT_THAT(package.read(kPython), HasSubstr("[9, 10, 12, 13]"));
}

TEST(Apply, WhatThePlanReliesOnMustHold) {
  PatchedPackage package;
  Plan plan = package.plan();
  plan.files = {plan.files[2]};
  plan.relies_on = {{package.site(), std::string(kHeader), sha256_hex(package.read(kHeader))}};
  package.write(kHeader, "other");
  Error error = refusal(plan);
  EXPECT_EQ(error.code, ErrorCode::drift);
  EXPECT_THAT(error.what, HasSubstr("rely on it"));
}

TEST(Apply, PlansThatMakeNoSense) {
  PatchedPackage package, other;
  Plan plan = package.plan();
  for (const char* path : {"../x.py", "/etc/passwd", "a//b.py", "./a.py", ""}) {
    Plan bad = plan;
    bad.files[1].path = path;
    EXPECT_THAT(refusal(bad).what, HasSubstr("no path below its site")) << path;
  }
  Plan twice = plan;
  twice.files.push_back(twice.files[0]);
  EXPECT_THAT(refusal(twice).what, HasSubstr("named twice"));
  Plan foreign = plan;
  foreign.files.push_back(other.plan().files[0]);
  EXPECT_THAT(refusal(foreign).what, HasSubstr("does not belong to"));
  Plan lying = plan;
  lying.files[0].after_sha256 = sha256_hex("something");
  EXPECT_THAT(refusal(lying).what, HasSubstr("do not give the bytes"));
  Plan latin = plan;
  latin.files[0].path = "fi/caf\xe9.py";
  EXPECT_THAT(refusal(latin).what, HasSubstr("not UTF-8"));
  EXPECT_EQ(written_in_order(plan), 0u);
}

TEST(Apply, LockNamesTheProcessThatHoldsIt) {
  PatchedPackage package;
  Plan plan = package.plan();
  {
    auto held = StateFolder::lock(package.root());
    ASSERT_TRUE(ok(held));
    EXPECT_EQ(writer_of(package.root()), getpid());
    Error error = refusal(plan);
    EXPECT_EQ(error.code, ErrorCode::locked);
    EXPECT_THAT(error.what, HasSubstr("process " + std::to_string(getpid())));
    EXPECT_EQ(status(package.root(), process_variables(), 1)->writer, getpid());
  }
  EXPECT_EQ(writer_of(package.root()), std::nullopt);
  EXPECT_TRUE(ok(apply(plan, {}, quiet())));
}

TEST(Apply, CancelledBetweenFilesPutsEverythingBack) {
  struct CancelAt : Progress {
    void doing(std::string_view activity, const std::string&, std::size_t n, std::size_t) override {
      if (activity == "writing" && n == 2) cancel = true;
    }
    std::atomic<bool> cancel = false;
  } progress;
  PatchedPackage package;
  Plan plan = package.plan();
  ApplyOptions options;
  options.cancel = &progress.cancel;
  auto report = apply(plan, options, progress);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, ErrorCode::interrupted);
  EXPECT_EQ(report.error().what, "interrupted; 2 written files were put back");
  EXPECT_EQ(written_in_order(plan), 0u);
  auto journal = Journal::read(plan.root);
  EXPECT_EQ(journal->runs().back().state, patch::Run::State::undone);
  EXPECT_EQ(journal->runs().back().reason, "interrupted");
  progress.cancel = false;
  EXPECT_TRUE(ok(apply(plan, options, quiet())));
}

TEST(Apply, CheckShowsEveryRefusalAhead) {
  PatchedPackage package;
  Plan plan = package.plan();
  package.write(kHeader, "other");
  package.tree().folder(package.at("fi/jit/.git"));
  auto checked = check(plan, false);
  ASSERT_TRUE(ok(checked));
  EXPECT_THAT(checked->pending, ElementsAre(1u));
  ASSERT_EQ(checked->refusals.size(), 2u);
  EXPECT_EQ(checked->refusals[0].code, ErrorCode::drift);
  EXPECT_EQ(checked->refusals[1].code, ErrorCode::refused);
}

}  // namespace
}  // namespace ungate::patch
