// Kills and failures at every single operation on the disk: whatever is interrupted, each file
// holds its old or its new bytes, no edit is there without those it needs, and the next command
// puts things right.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include "patch/steps.h"
#include "unit/patch/patched_package.h"

namespace ungate::patch {
namespace {

constexpr int kMostSteps = 300;  // more than any command takes

class Crash : public testing::Test {
 protected:
  static void prepare(PatchedPackage& package) {
    package.tree().file("cache/0.6.3/120a/cached_ops/trtllm_comm/trtllm_comm.so", "old");
    package.write("fi/jit/__pycache__/comm.cpython-311.pyc", "old");
  }

  // True if `work` ended before its k-th operation.
  static bool survives(int k, const std::function<void()>& work) {
    int status = in_child([&] {
      setenv("UNGATE_TEST_KILL_AT", std::to_string(k).c_str(), 1);
      work();
    });
    if (WIFSIGNALED(status)) {
      EXPECT_EQ(WTERMSIG(status), SIGKILL);
      return false;
    }
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return true;
  }

  static void apply_all(const Plan& plan) { EXPECT_TRUE(ok(apply(plan, {}, quiet()))); }
  static void revert_all(const Plan& plan) { EXPECT_TRUE(ok(revert(plan.root, {}, {}, quiet()))); }

  // After recover() nothing is half done; what then stands can be reverted to what RECORD says.
  static void expect_mended(const PatchedPackage& package, const Plan& plan) {
    EXPECT_TRUE(ok(recover(plan.root, {}, quiet())));
    std::size_t written = written_in_order(plan);
    EXPECT_TRUE(written == 0 || written == plan.files.size());
    EXPECT_TRUE(temporaries(package).empty());
    auto report = status(plan.root, process_variables(), 1);
    ASSERT_TRUE(ok(report));
    EXPECT_TRUE(report->left_overs.empty());
    EXPECT_FALSE(report->differs());
    if (written != 0) {
      EXPECT_FALSE(package.tree().exists("cache/0.6.3/120a/cached_ops/trtllm_comm"));
      EXPECT_FALSE(package.tree().exists(package.at("fi/jit/__pycache__/comm.cpython-311.pyc")));
      revert_all(plan);
    }
    EXPECT_EQ(record_mismatches(package), 0u);
    EXPECT_TRUE(find_named(package.root(), "runs").empty() ||
                std::filesystem::is_empty(package.root() + "/.ungate/runs"));
    EXPECT_TRUE(ok(apply(plan, {}, quiet())));
    EXPECT_EQ(written_in_order(plan), plan.files.size());
  }
};

TEST_F(Crash, ApplyKilledAtEveryStep) {
  std::size_t seen[4] = {};
  for (int k = 1;; ++k) {
    ASSERT_LT(k, kMostSteps);
    SCOPED_TRACE("killed at step " + std::to_string(k));
    PatchedPackage package;
    prepare(package);
    Plan plan = package.plan();
    bool done = survives(k, [&] { apply_all(plan); });
    ++seen[written_in_order(plan)];
    expect_mended(package, plan);
    if (HasFatalFailure() || done) {
      EXPECT_GT(k, 50);
      break;
    }
  }
  for (std::size_t written = 0; written < 4; ++written) EXPECT_GT(seen[written], 1u) << written;
}

TEST_F(Crash, RevertKilledAtEveryStep) {
  std::size_t seen[4] = {};
  for (int k = 1;; ++k) {
    ASSERT_LT(k, kMostSteps);
    SCOPED_TRACE("killed at step " + std::to_string(k));
    PatchedPackage package;
    Plan plan = package.plan();
    apply_all(plan);
    prepare(package);
    bool done = survives(k, [&] { revert_all(plan); });
    ++seen[written_in_order(plan)];
    patch::Run run = Journal::read(plan.root)->runs()[0];
    bool begun = !run.stands();
    if (begun) prepare(package);  // something was built meanwhile
    EXPECT_TRUE(ok(recover(plan.root, {}, quiet())));
    EXPECT_EQ(package.tree().exists("cache/0.6.3/120a/cached_ops/trtllm_comm"), !run.interrupted());
    EXPECT_EQ(written_in_order(plan), begun ? 0u : 3u);
    prepare(package);
    if (begun) apply_all(plan);
    prepare(package);
    revert_all(plan);
    EXPECT_EQ(record_mismatches(package), 0u);
    EXPECT_TRUE(temporaries(package).empty());
    EXPECT_FALSE(package.tree().exists("cache/0.6.3/120a/cached_ops/trtllm_comm"));
    if (HasFatalFailure() || done) {
      EXPECT_GT(k, 30);
      break;
    }
  }
  for (std::size_t written = 0; written < 4; ++written) EXPECT_GT(seen[written], 1u) << written;
}

// A crash while a crash is mended. The first one comes when two files are written.
TEST_F(Crash, RecoverKilledAtEveryStep) {
  int first = 0;
  for (int k = 1; first == 0; ++k) {
    ASSERT_LT(k, kMostSteps);
    PatchedPackage package;
    Plan plan = package.plan();
    ASSERT_FALSE(survives(k, [&] { apply_all(plan); }));
    if (written_in_order(plan) == 2) first = k;
  }
  for (int k = 1;; ++k) {
    ASSERT_LT(k, kMostSteps);
    SCOPED_TRACE("recovery killed at step " + std::to_string(k));
    PatchedPackage package;
    Plan plan = package.plan();
    survives(first, [&] { apply_all(plan); });
    ASSERT_EQ(written_in_order(plan), 2u);
    bool done = survives(k, [&] { EXPECT_TRUE(ok(recover(plan.root, {}, quiet()))); });
    written_in_order(plan);
    expect_mended(package, plan);
    if (HasFatalFailure() || done) {
      EXPECT_GT(k, 20);
      break;
    }
  }
}

// One operation fails: apply either says so and has put everything back, or has written everything.
TEST_F(Crash, ApplyFailsAtEveryStepOnce) {
  int refused = 0;
  for (int k = 1;; ++k) {
    ASSERT_LT(k, kMostSteps);
    SCOPED_TRACE("failed at step " + std::to_string(k));
    PatchedPackage package;
    prepare(package);
    Plan plan = package.plan();
    int count = 0;
    set_step_hook([&](std::string_view, const std::string&) { return ++count == k ? ENOSPC : 0; });
    auto report = apply(plan, {}, quiet());
    set_step_hook({});
    if (!report) {
      ++refused;
      EXPECT_EQ(report.error().code, ErrorCode::no_space) << to_text(report.error());
      EXPECT_EQ(written_in_order(plan), 0u) << to_text(report.error());
    } else {
      EXPECT_EQ(written_in_order(plan), 3u);
    }
    expect_mended(package, plan);
    if (HasFatalFailure() || count < k) break;
  }
  EXPECT_GT(refused, 40);
}

// The disk fails for good: nothing can be put back now. The journal knows, and it is done later.
TEST_F(Crash, DiskFailsFromEveryStepOn) {
  std::size_t seen[4] = {};
  for (int k = 1;; ++k) {
    ASSERT_LT(k, kMostSteps);
    SCOPED_TRACE("failing from step " + std::to_string(k));
    PatchedPackage package;
    prepare(package);
    Plan plan = package.plan();
    int count = 0;
    set_step_hook([&](std::string_view, const std::string&) { return ++count >= k ? EIO : 0; });
    auto report = apply(plan, {}, quiet());
    set_step_hook({});
    std::size_t written = written_in_order(plan);
    ++seen[written];
    if (!report && written != 0) {
      EXPECT_NE(report.error().what.find("left unfinished"), std::string::npos)
          << report.error().what;
      EXPECT_EQ(apply(plan, {}, quiet()).error().code, ErrorCode::drift);
      EXPECT_EQ(revert(plan.root, {}, {}, quiet()).error().code, ErrorCode::drift);
      auto now = status(plan.root, process_variables(), 1);
      ASSERT_TRUE(ok(now));
      EXPECT_EQ(now->runs.back().condition, RunCondition::interrupted);
      EXPECT_TRUE(now->differs());
    }
    expect_mended(package, plan);
    if (HasFatalFailure() || count < k) break;
  }
  for (std::size_t written = 0; written < 4; ++written) EXPECT_GT(seen[written], 1u) << written;
}

}  // namespace
}  // namespace ungate::patch
