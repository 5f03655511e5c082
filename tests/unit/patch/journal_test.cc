#include "patch/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/patch/patched_package.h"

namespace ungate::patch {
namespace {

using testing::HasSubstr;

std::string journal_bytes(const PatchedPackage& package) {
  return package.tree().read("env/.ungate/journal");
}
void set_journal(const PatchedPackage& package, std::string_view bytes) {
  package.tree().file("env/.ungate/journal", bytes);
}

TEST(Journal, KeepsEverythingThatARevertNeeds) {
  PatchedPackage package;
  Plan plan = package.plan();
  plan.relies_on = {{package.site(), "fi/__init__.py", sha256_hex("")}};
  auto report = apply(plan, {}, quiet());
  ASSERT_TRUE(ok(report));
  auto journal = Journal::read(package.root());
  ASSERT_TRUE(ok(journal));
  ASSERT_EQ(journal->runs().size(), 1u);
  const patch::Run& run = journal->runs()[0];
  EXPECT_EQ(run.id, report->run);
  EXPECT_EQ(run.state, patch::Run::State::applied);
  EXPECT_EQ(run.target, "sm_120");
  ASSERT_EQ(run.steps.size(), 1u);  // only what was applied
  EXPECT_EQ(run.steps[0], plan.steps[0]);
  ASSERT_EQ(run.files.size(), 3u);
  EXPECT_EQ(run.files[2].package, "fi");
  EXPECT_EQ(run.files[2].version, "0.6.3");
  EXPECT_EQ(run.files[2].before_sha256, plan.files[2].before_sha256);
  EXPECT_EQ(run.relies_on, plan.relies_on);
  EXPECT_EQ(run.caches, plan.caches);
  EXPECT_TRUE(run.clear_caches);
  EXPECT_THAT(run.time, testing::MatchesRegex("....-..-..T..:..:..Z"));
}

// A crash may cut the last line anywhere: it counts as not written, and the next record replaces
// it.
TEST(Journal, TornLastLineAtEveryByte) {
  PatchedPackage package;
  ASSERT_TRUE(ok(apply(package.plan(), {}, quiet())));
  std::string whole = journal_bytes(package);
  std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t size = last; size < whole.size(); ++size) {
    set_journal(package, whole.substr(0, size));
    auto journal = Journal::read(package.root());
    ASSERT_TRUE(ok(journal)) << size;
    EXPECT_EQ(journal->torn(), size != last);
    ASSERT_EQ(journal->runs().size(), 1u);
    EXPECT_EQ(journal->runs()[0].state, patch::Run::State::applying);
  }
  EXPECT_TRUE(ok(recover(package.root(), {}, quiet())));
  auto journal = Journal::read(package.root());
  ASSERT_TRUE(ok(journal));
  EXPECT_FALSE(journal->torn());
  EXPECT_EQ(journal->runs()[0].state, patch::Run::State::applied);
}

TEST(Journal, DamageIsNoticed) {
  PatchedPackage package;
  Plan plan = package.plan();
  ASSERT_TRUE(ok(apply(plan, {}, quiet())));
  std::string whole = journal_bytes(package);
  std::size_t second = whole.find('\n') + 1;
  for (std::size_t at : {std::size_t{3}, second + 20, whole.find("\"sum\"", second) + 12}) {
    std::string bytes = whole;
    bytes[at] = bytes[at] == 'x' ? 'y' : 'x';
    set_journal(package, bytes);
    auto journal = Journal::read(package.root());
    ASSERT_FALSE(journal.has_value()) << at;
    EXPECT_EQ(journal.error().code, ErrorCode::bad_config);
    EXPECT_THAT(journal.error().where, HasSubstr(at < second ? "journal:1" : "journal:2"));
    EXPECT_EQ(apply(plan, {}, quiet()).error().code, ErrorCode::bad_config);
  }
  // A last line with a wrong sum is a torn one, whatever it says.
  std::string bytes = whole;
  bytes[bytes.size() - 4] ^= 1;
  set_journal(package, bytes);
  EXPECT_TRUE(Journal::read(package.root())->torn());
}

TEST(Journal, NoneIsAnEmptyOne) {
  PatchedPackage package;
  auto journal = Journal::read(package.root());
  ASSERT_TRUE(ok(journal));
  EXPECT_TRUE(journal->empty());
  EXPECT_EQ(journal->interrupted(), nullptr);
  EXPECT_TRUE(recover(package.root(), {}, quiet())->empty());
  EXPECT_FALSE(package.tree().exists("env/.ungate"));
}

}  // namespace
}  // namespace ungate::patch
