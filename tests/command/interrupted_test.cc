// kill -9 at every step of apply and of revert, through the command line: no file is ever half
// written, no edit is there without those it needs, and the next command puts things right.
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "golden/case.h"
#include "support/program.h"

namespace ungate {
namespace {

using testing_support::Bytes;
using testing_support::Installed;
using testing_support::Ran;

constexpr int kMostSteps = 600;  // more than a command takes

// The packages of a golden case, a plan for them, and what it makes of them.
class Interrupted : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto cases = golden::cases_below("patches/flashinfer-python/allreduce-sm12x");
    ASSERT_EQ(cases.size(), 1u);
    the_case_ = new golden::Case(cases[0]);
    before_ = new Bytes(golden::files_of(*the_case_, {}));
    home_ =
        new Bytes{{".cache/flashinfer/0.6.3/120a/cached_ops/trtllm_comm/trtllm_comm.so", "old"}};
    first_ = fresh().release();
    Ran plan = run(*first_,
                   {"plan", "--prefix", first_->root(), "--target", "sm_120", "--format", "json"});
    ASSERT_EQ(plan.status, 1) << plan.all();
    plan_ = new std::string(first_->tree().file("plan.json", plan.out));
    Ran applied = run(*first_, {"apply", "--plan", *plan_});
    ASSERT_EQ(applied.status, 0) << applied.all();
    after_ = new Bytes(first_->files());
    order_ = new std::vector<std::string>;
    auto document = nlohmann::json::parse(plan.out);
    for (const auto& file : document["files"]) order_->push_back(file["path"]);
    ASSERT_GE(order_->size(), 5u);
  }
  static void TearDownTestSuite() {
    delete first_;
    delete order_;
    delete after_;
    delete plan_;
    delete home_;
    delete before_;
    delete the_case_;
  }

  static std::unique_ptr<Installed> fresh() {
    return std::make_unique<Installed>(*before_, the_case_->packages, *home_);
  }

  static Ran run(const Installed& at, std::vector<std::string> arguments, int kill_at = 0) {
    auto setting = at.setting();
    if (kill_at > 0) setting["UNGATE_TEST_KILL_AT"] = std::to_string(kill_at);
    return testing_support::ungate(arguments, setting);
  }
  // The plan was made in another copy of the environment.
  static Ran apply(const Installed& at, int kill_at = 0) {
    return run(at, {"apply", at.root(), "--plan", *plan_}, kill_at);
  }
  static Ran revert(const Installed& at, int kill_at = 0) {
    return run(at, {"revert", "--prefix", at.root()}, kill_at);
  }

  // How many files hold their new bytes; each holds the old or the new ones, and none is new while
  // one that comes before it is old.
  static std::size_t written(const Installed& at) {
    Bytes now = at.files();
    // A new file that was being written beside the old one.
    std::erase_if(now, [](const auto& file) { return file.first.ends_with(".tmp"); });
    EXPECT_EQ(now.size(), before_->size());
    for (const auto& [path, bytes] : now) {
      EXPECT_TRUE(bytes == before_->at(path) || bytes == after_->at(path)) << path;
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < order_->size(); ++i) {
      const std::string& path = (*order_)[i];
      if (now[path] != after_->at(path)) continue;
      EXPECT_EQ(count, i) << path << " is written, but not what it needs";
      ++count;
    }
    return count;
  }

  static bool cached(const Installed& at) {
    return at.tree().exists(
        "home/.cache/flashinfer/0.6.3/120a/cached_ops/trtllm_comm/trtllm_comm.so");
  }

  // Whatever state a kill left, each of these ends in all or nothing.
  static void mend(const Installed& at, int k) {
    if (k % 3 == 0) {
      Ran again = apply(at);
      EXPECT_EQ(again.status, 0) << again.all();
      EXPECT_EQ(written(at), order_->size());
      EXPECT_FALSE(cached(at));
    } else if (k % 3 == 1) {
      Ran planned = run(at, {"plan", "--prefix", at.root(), "--target", "sm_120"});
      std::size_t count = written(at);
      EXPECT_TRUE(count == 0 || count == order_->size()) << count;
      EXPECT_EQ(planned.status, count == 0 ? 1 : 0) << planned.all();
    }
    Ran reverted = revert(at);
    EXPECT_EQ(reverted.status, 0) << reverted.all();
    EXPECT_TRUE(at.files() == *before_);
    Ran status = run(at, {"status", "--prefix", at.root()});
    EXPECT_EQ(status.status, 0) << status.all();
  }
  static inline golden::Case* the_case_ = nullptr;
  static inline Bytes* before_ = nullptr;
  static inline Bytes* after_ = nullptr;
  static inline Bytes* home_ = nullptr;
  static inline Installed* first_ = nullptr;
  static inline std::string* plan_ = nullptr;
  static inline std::vector<std::string>* order_ = nullptr;
};

TEST_F(Interrupted, ApplyKilledAtEveryStep) {
  std::set<std::size_t> seen;
  for (int k = 1;; ++k) {
    ASSERT_LT(k, kMostSteps);
    SCOPED_TRACE("killed at step " + std::to_string(k));
    auto at = fresh();
    Ran ran = apply(*at, k);
    bool done = ran.signal != SIGKILL;
    EXPECT_TRUE(!done || ran.status == 0) << ran.all();
    seen.insert(written(*at));
    mend(*at, k);
    if (HasFailure() || done) break;
  }
  EXPECT_EQ(seen.size(), order_->size() + 1);  // it was killed after every file
}

TEST_F(Interrupted, RevertKilledAtEveryStep) {
  std::set<std::size_t> seen;
  for (int k = 1;; ++k) {
    ASSERT_LT(k, kMostSteps);
    SCOPED_TRACE("killed at step " + std::to_string(k));
    auto at = fresh();
    ASSERT_EQ(apply(*at).status, 0);
    Ran ran = revert(*at, k);
    bool done = ran.signal != SIGKILL;
    EXPECT_TRUE(!done || ran.status == 0) << ran.all();
    seen.insert(written(*at));
    mend(*at, k);
    if (HasFailure() || done) break;
  }
  EXPECT_EQ(seen.size(), order_->size() + 1);
}

}  // namespace
}  // namespace ungate
