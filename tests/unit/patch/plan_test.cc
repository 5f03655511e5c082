#include "patch/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "unit/patch/patched_package.h"

namespace ungate::patch {
namespace {

using testing::HasSubstr;

TEST(Plan, EditsMustFit) {
  auto made = make_change("/site", "a.py", "abc", {{{1, 2}, "b", "B"}}, {});
  ASSERT_TRUE(ok(made));
  EXPECT_EQ(made->after, "aBc");
  EXPECT_EQ(made->after_sha256, sha256_hex("aBc"));
  EXPECT_EQ(make_change("/site", "a.py", "abc", {{{1, 2}, "x", "B"}}, {}).error().code,
            ErrorCode::does_not_fit);
}

TEST(Plan, IsReadBackAsItWasWritten) {
  PatchedPackage package;
  package.write("fi/latin.py", "# caf\xe9 10\n");
  Plan plan = package.plan();
  plan.files.push_back(package.change("fi/latin.py", "\xe9 10", "\xe9 12"));
  plan.relies_on = {{package.site(), "fi/__init__.py", sha256_hex("")}};
  std::string json = to_json(plan);
  EXPECT_THAT(json, HasSubstr("\"before_hex\": \"e9203130\""));
  EXPECT_THAT(json, HasSubstr("\"site\": \"lib/python3.11/site-packages\""));
  auto back = plan_from_json(json, "plan.json");
  ASSERT_TRUE(ok(back));
  EXPECT_EQ(to_json(*back), json);
  ASSERT_TRUE(ok(load_bytes(*back)));
  EXPECT_EQ(*back, plan);
}

// A plan made on one machine fits another that has the same files elsewhere.
TEST(Plan, CanBeTakenToAnotherRoot) {
  PatchedPackage here, there;
  auto plan = plan_from_json(to_json(here.plan()), "plan.json", there.root());
  ASSERT_TRUE(ok(plan));
  EXPECT_EQ(plan->files[0].site, there.site());
  ASSERT_TRUE(ok(load_bytes(*plan)));
  EXPECT_TRUE(ok(apply(*plan, {}, quiet())));
  EXPECT_THAT(there.read(kPython), HasSubstr("12"));
  EXPECT_EQ(written_in_order(here.plan()), 0u);
  // Once written, the bytes before are gone: both are the new ones.
  ASSERT_TRUE(ok(load_bytes(*plan)));
  EXPECT_EQ(plan->files[2].before, plan->files[2].after);
  there.write(kPython, "edited");
  EXPECT_EQ(load_bytes(*plan).error().code, ErrorCode::drift);
}

TEST(Plan, SaysWhichFieldIsWrong) {
  PatchedPackage package;
  std::string json = to_json(package.plan());
  auto with = [&](const std::string& from, const std::string& to) {
    std::string text = json;
    std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return plan_from_json(text.replace(at, from.size(), to), "plan.json").error().what;
  };
  EXPECT_THAT(with("{", "["), HasSubstr("not JSON"));
  EXPECT_THAT(with("ungate-plan", "other"), HasSubstr("not an ungate plan"));
  EXPECT_THAT(with("\"version\": 1", "\"version\": 2"), HasSubstr("another version"));
  EXPECT_THAT(with("\"begin\": 11", "\"begin\": \"11\""), HasSubstr("'files[0].edits[0].begin'"));
  EXPECT_THAT(with("\"target\": \"sm_120\"", "\"aim\": 3"), HasSubstr("'target'"));
  EXPECT_THAT(with("\"after\": \"1300\"", "\"after_hex\": \"3x\""), HasSubstr("not hexadecimal"));
  EXPECT_THAT(with("\"after\": \"1300\"", "\"after_hex\": \"333\""), HasSubstr("not hexadecimal"));
  EXPECT_THAT(plan_from_json("[1]", "plan.json").error().what, HasSubstr("not an ungate plan"));
}

// patch(1) is the oracle.
TEST(Plan, DiffIsAppliedByPatch) {
  PatchedPackage package;
  package.write("fi/with blank.py", "x = 10\n");
  Plan plan = package.plan();
  plan.files.push_back(package.change("fi/with blank.py", "10", "12"));
  PlanDiff all = diff(plan);
  EXPECT_EQ(all.folder, package.site());
  std::string file = package.tree().file("plan.patch", all.text);
  std::string command = "cd '" + all.folder + "' && patch -s -p1 < '" + file + "' > /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0) << all.text;
  EXPECT_EQ(written_in_order(plan), 4u);
}

TEST(Plan, DiffOfSeveralSitesIsRelativeToTheRoot) {
  PatchedPackage package;
  Plan plan = package.plan();
  auto other = make_change(package.root() + "/lib64", "x.py", "a\n", {{{0, 1}, "a", "b"}}, {});
  plan.files.push_back(*other);
  PlanDiff all = diff(plan);
  EXPECT_EQ(all.folder, package.root());
  EXPECT_THAT(all.text, HasSubstr("+++ b/lib64/x.py\n"));
  EXPECT_THAT(all.text, HasSubstr("+++ b/lib/python3.11/site-packages/fi/jit/comm.py\n"));
  EXPECT_EQ(diff(Plan()).text, "");
}

}  // namespace
}  // namespace ungate::patch
