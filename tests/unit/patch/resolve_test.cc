#include "patch/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/patch/small_ground.h"

namespace ungate::patch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Resolve : public testing::Test {
 protected:
  Resolution resolve(const std::vector<PatchSet>& sets, const Request& request = {}) {
    auto resolved = ground_.resolve(sets, request);
    if (resolved) return std::move(*resolved);
    ADD_FAILURE() << to_text(resolved.error());
    return {};
  }
  Resolution resolve(const Request& request = {}) { return resolve(sets_, request); }

  static std::vector<std::string> states(const Resolution& r) {
    std::vector<std::string> out;
    for (const MemberOutcome& m : r.sets.at(0).members) {
      for (const StepOutcome& s : m.steps) out.push_back(s.record.id + ' ' + s.record.state);
    }
    return out;
  }
  static std::vector<std::string> written(const Resolution& r) {
    std::vector<std::string> out;
    for (const Plan& p : r.plans) {
      for (const FileChange& f : p.files) out.push_back(f.path);
    }
    return out;
  }
  static std::string refusal(const Resolution& r) {
    if (r.refusals.size() != 1) return std::to_string(r.refusals.size()) + " refusals";
    return to_text(r.refusals[0]);
  }

  SmallGround ground_;
  std::vector<PatchSet> sets_{ground_.set()};
};

TEST_F(Resolve, AWholeSetIsWrittenWithWhatIsNeededFirst) {
  ground_.shut_all();
  Resolution r = resolve();
  EXPECT_THAT(r.refusals, IsEmpty());
  EXPECT_EQ(r.sets[0].state, state::applies);
  EXPECT_THAT(states(r), ElementsAre("list applies", "guards applies", "stride applies"));
  ASSERT_THAT(r.plans, SizeIs(1));
  const Plan& plan = r.plans[0];
  EXPECT_EQ(plan.root, "/env");
  EXPECT_EQ(plan.target, "sm_120");
  // The list needs the guards, whatever the order of the steps.
  EXPECT_THAT(written(r), ElementsAre(kGuards, kList, kHost));
  EXPECT_THAT(plan.files[0].after, HasSubstr("< 1300"));
  EXPECT_EQ(plan.files[0].after.find("1200"), std::string::npos);
  EXPECT_THAT(plan.files[1].after, HasSubstr("[9, 10, 12]"));
  EXPECT_THAT(plan.files[2].after, HasSubstr("ptr[i + kMost]"));
  EXPECT_THAT(plan.files[0].steps, ElementsAre("guards"));
  EXPECT_THAT(plan.steps, SizeIs(3));
  ASSERT_THAT(plan.caches, SizeIs(1));
  EXPECT_THAT(plan.caches[0].modules, ElementsAre("mod"));
  EXPECT_THAT(r.openings, SizeIs(3));
  EXPECT_EQ(r.openings[0].admit, devices("12.0,12.1"));
}

TEST_F(Resolve, WhatIsOpenAlreadyIsReliedOn) {
  ground_.shut_all();
  for (const char* id : {"22bb", "33cc"}) {
    for (gate::Standing& s : ground_.gate(id).standings) s.admits = gate::Admits::yes;
  }
  Resolution r = resolve();
  EXPECT_THAT(states(r), ElementsAre("list applies", "guards already-admitted", "stride applies"));
  EXPECT_THAT(written(r), ElementsAre(kList, kHost));
  ASSERT_THAT(r.plans[0].relies_on, SizeIs(1));
  EXPECT_EQ(r.plans[0].relies_on[0].path, kGuards);
}

TEST_F(Resolve, NothingIsLeftToDo) {
  ground_.files[kHost] = "  ptr[i + kMost] = p;\n";
  ground_.open("11aa", kList, "[9, 10]").form = "py-major-list";
  ground_.gate("11aa").enclosing = "fi.build::make";
  ground_.open("22bb", kGuards, "ARCH >= 900 && ARCH < 1200");
  Resolution r = resolve();
  EXPECT_EQ(r.sets[0].state, state::already_admitted);
  EXPECT_THAT(r.plans, IsEmpty());
  EXPECT_THAT(r.refusals, IsEmpty());
}

TEST_F(Resolve, WhatThePackageHasIsSuperseded) {
  ground_.files[kHost] = "  ptr[kMost + i] = p;\n";
  ground_.open("11aa", kList, "[9, 10]").form = "py-major-list";
  ground_.gate("11aa").enclosing = "fi.build::make";
  ground_.open("22bb", kGuards, "ARCH >= 900 && ARCH < 1200");
  Resolution r = resolve();
  EXPECT_THAT(states(r),
              ElementsAre("list already-admitted", "guards already-admitted", "stride superseded"));
  EXPECT_EQ(r.sets[0].state, state::superseded);
  EXPECT_THAT(r.plans, IsEmpty());
}

TEST_F(Resolve, DriftNamesTheNearestPlace) {
  ground_.shut_all();
  ground_.files[kHost] = "one\ntwo\n  ptr[n + i] = p;\n";
  Resolution r = resolve();
  EXPECT_EQ(r.sets[0].state, state::drifted);
  EXPECT_EQ(r.refusals[0].code, ErrorCode::does_not_fit);
  EXPECT_EQ(r.refusals[0].where, "fi/a.cu:3");
  EXPECT_THAT(
      refusal(r),
      HasSubstr(
          "step stride of fi/wider does not fit fi 1.5 (drifted): expected 'ptr[i + n]', found "));
  EXPECT_THAT(r.plans, IsEmpty());
  EXPECT_THAT(r.sets[0].members[0].steps[2].edits, IsEmpty());
}

TEST_F(Resolve, AGateThatIsGoneIsDrift) {
  ground_.shut_all();
  ground_.gate("11aa").enclosing = "fi.build::other";
  Resolution r = resolve();
  EXPECT_EQ(r.sets[0].state, state::drifted);
  EXPECT_THAT(
      refusal(r),
      HasSubstr("the nearest gate is '[9, 10]': it stands in fi.build::other, not in make"));
}

TEST_F(Resolve, AFileThatIsGoneIsDrift) {
  ground_.shut_all();
  ground_.files.erase(kHost);
  EXPECT_THAT(
      refusal(resolve()),
      HasSubstr(
          "fi/a.cu: step stride of fi/wider does not fit fi 1.5 (drifted): the file is not there"));
}

TEST_F(Resolve, SeveralPlacesAreAmbiguous) {
  ground_.shut_all();
  sets_[0].members[0].steps[1].every = false;
  ground_.files[kHost] = "ptr[i + n]\nptr[i + n]\n";
  Resolution r = resolve();
  EXPECT_THAT(states(r), ElementsAre("list applies", "guards ambiguous", "stride ambiguous"));
  ASSERT_THAT(r.refusals, SizeIs(testing::Ge(2u)));
  EXPECT_THAT(r.refusals[0].what, HasSubstr("gates on the lines 1, 4 fit"));
  EXPECT_THAT(r.refusals[1].what, HasSubstr("stands on the lines 1, 2"));
}

TEST_F(Resolve, SetsAreForVersionsThatAreInstalled) {
  ground_.shut_all();
  ground_.environment.distributions[0].version = *package::Version::parse("2.0");
  ground_.environment.distributions[0].version_text = "2.0";
  Resolution r = resolve();
  EXPECT_EQ(r.sets[0].state, state::not_installed);
  EXPECT_FALSE(r.sets[0].members[0].chosen);
  EXPECT_EQ(r.sets[0].members[0].why, "it is for fi >=1,<2; 2.0 is installed");
  ground_.environment.distributions.clear();
  EXPECT_EQ(resolve().sets[0].members[0].why, "fi is not installed");
}

// A second package's member, and one that is off.
class Members : public Resolve {
 protected:
  Members() {
    ground_.shut_all();
    ground_.files["sg/use.py"] = "a = 1\nb = 2\n";
    auto member = [](const char* name, TextEdit edit, std::vector<std::string> needs) {
      Member m;
      m.name = name;
      m.package = "sg";
      m.versions = *package::SpecifierSet::parse(">=3");
      m.needs = std::move(needs);
      m.steps = {SmallGround::text_step(std::string("step-") + name, std::move(edit))};
      return m;
    };
    sets_[0].members.push_back(member("allow", {"sg/use.py", "a = 1", "a = 3"}, {"core"}));
    sets_[0].members.push_back(member("auto", {"sg/use.py", "b = 2", "b = 4"}, {"core", "allow"}));
    sets_[0].members[2].by_default = false;
    sets_[0].members[2].reason = "slower";
  }
  bool chosen(const Resolution& r, int member) {
    return r.sets[0].members[static_cast<std::size_t>(member)].chosen;
  }
};

TEST_F(Members, OfAPackageThatIsNotThereAreLeftOut) {
  Resolution r = resolve();
  EXPECT_THAT(r.refusals, IsEmpty());
  EXPECT_FALSE(chosen(r, 1));
  EXPECT_EQ(r.sets[0].members[1].why, "sg is not installed");
  EXPECT_THAT(written(r), ElementsAre(kGuards, kList, kHost));
}

TEST_F(Members, AreTakenByDefaultOrByName) {
  ground_.install("sg", "3.1");
  Resolution r = resolve();
  EXPECT_TRUE(chosen(r, 1));
  EXPECT_FALSE(chosen(r, 2));
  EXPECT_EQ(r.sets[0].members[2].why, "slower");
  EXPECT_EQ(r.plans[0].files.back().after, "a = 3\nb = 2\n");
  for (const char* name : {"auto", "wider:auto", "fi/wider:auto"}) {
    Request request;
    request.members = {name};
    Resolution both = resolve(request);
    EXPECT_TRUE(chosen(both, 2)) << name;
    EXPECT_EQ(both.plans[0].files.back().after, "a = 3\nb = 4\n");
  }
}

TEST_F(Members, AreNotTakenWithoutThoseTheyNeed) {
  ground_.install("sg", "3.1");
  Request without;
  without.without = {"core"};
  Resolution r = resolve(without);
  EXPECT_FALSE(chosen(r, 0));
  EXPECT_FALSE(chosen(r, 1));
  EXPECT_EQ(r.sets[0].members[1].why,
            "it needs core, which is not taken: left out by the command line");
  EXPECT_THAT(r.plans, IsEmpty());
  EXPECT_THAT(r.refusals, IsEmpty());
  // What is named and cannot be had is an error.
  without.members = {"auto"};
  EXPECT_THAT(refusal(resolve(without)),
              HasSubstr("member auto of fi/wider: it needs core, which is not taken"));
}

TEST_F(Resolve, ChoosingSaysWhatThereIs) {
  auto wrong = [&](const Request& request) {
    auto resolved = ground_.resolve(sets_, request);
    EXPECT_FALSE(resolved.has_value());
    return resolved
               ? std::string()
               : std::string(name_of(resolved.error().code)) + ": " + to_text(resolved.error());
  };
  Request request;
  request.sets = {"narrower"};
  EXPECT_THAT(wrong(request), HasSubstr("usage: there is no patch set 'narrower'"));
  request.sets = {"wider"};
  request.members = {"cire"};
  EXPECT_THAT(wrong(request), HasSubstr("no patch set that is taken has a member 'cire'"));
  request.members.clear();
  sets_[0].targets = devices("12.1");
  EXPECT_THAT(wrong(request), HasSubstr("the patch set fi/wider is for sm_121"));
  request.sets.clear();
  EXPECT_THAT(resolve(request).sets, IsEmpty());
}

TEST_F(Resolve, ALiftAloneIsRefusedAndSaysWhatItNeeds) {
  ground_.shut_all();
  Request request;
  request.no_sets = true;
  request.lifts = {"fi/build.py:5"};
  Resolution r = resolve(request);
  EXPECT_THAT(r.plans, IsEmpty());
  ASSERT_THAT(r.refusals, SizeIs(1));
  EXPECT_EQ(r.refusals[0].code, ErrorCode::refused);
  EXPECT_EQ(exit_of(r.refusals[0].code), Exit::drift);
  EXPECT_EQ(r.refusals[0].what,
            "'[9, 10]' alone is not opened: 2 gates behind it would still shut sm_120 out: "
            "fi/a.cuh: empty-kernel at line 4 (33cc); race at 1 (22bb)");
  EXPECT_EQ(r.refusals[0].next, "take the patch set fi/wider instead, which opens them all");
  sets_[0].members[0].steps.erase(sets_[0].members[0].steps.begin());
  EXPECT_EQ(resolve(request).refusals[0].next, "add --lift 22bb --lift 33cc");
  request.lifts = {"11a", "22bb", "33cc"};
  r = resolve(request);
  EXPECT_THAT(r.refusals, IsEmpty());
  EXPECT_THAT(written(r), ElementsAre(kGuards, kList));
  EXPECT_EQ(r.plans[0].steps[0].set, "lift");
}

TEST_F(Resolve, ALiftTellsWhatComesAlong) {
  ground_.shut("11aa", kList, "[9, 10]", "", ", 12");
  for (gate::Standing& s : ground_.gate("11aa").standings) s.lift->also_admits = devices("12.1");
  Request request;
  request.no_sets = true;
  request.lifts = {"11aa"};
  Resolution r = resolve(request);
  EXPECT_EQ(r.lifts[0].record.detail, "1 edit; admits sm_121, too");
  EXPECT_EQ(r.openings[0].admit, devices("12.0,12.1"));
}

TEST_F(Resolve, WhatCannotRunIsNotLifted) {
  ground_.shut_all();
  Request request;
  request.no_sets = true;
  request.lifts = {"22bb"};
  auto judge = [&](gate::Verdict verdict) {
    for (gate::Standing& s : ground_.gate("22bb").standings) s.verdict = verdict;
    return resolve(request);
  };
  EXPECT_THAT(refusal(judge(gate::Verdict::capability)),
              HasSubstr("what is behind it cannot run on sm_120"));
  EXPECT_THAT(refusal(judge(gate::Verdict::unknown)),
              HasSubstr("it is not known whether what is behind it runs on sm_120"));
  request.lift_unknown = true;
  EXPECT_THAT(judge(gate::Verdict::unknown).plans, SizeIs(1));
  request.lifts = {"99"};
  EXPECT_EQ(ground_.resolve(sets_, request).error().code, ErrorCode::not_found);
}

// Two modules behind one condition: the part that is opened builds one of them, and does not need
// what the other one lacks.
TEST_F(Resolve, APartOfABlockNeedsWhatItsModulesNeed) {
  ground_.shut_all();
  ground_.files["fi/aot.py"] = "if old:\n    mine()\n    other()\n";
  gate::Gate& block = ground_.shut("44dd", "fi/aot.py", "old", "", "");
  for (gate::Standing& s : block.standings)
    s.lift = gate::Lift{{}, {"11aa", "55ee"}, {}, {}, "no edit"};
  ground_.files["fi/other.py"] = "[9]\n";
  for (gate::Standing& s : ground_.shut("55ee", "fi/other.py", "[9]", "", ", 12").standings)
    s.lift->modules = {"other"};
  Step step = ground_.gate_step("aot", {"fi/aot.py", {}, "", "old", ""});
  step.edits = {{"fi/aot.py", "if old:\n    mine()\n", "if old or new:\n    mine()\nif old:\n"}};
  sets_[0].members[0].steps.push_back(step);
  EXPECT_THAT(refusal(resolve()), HasSubstr("fi/other.py: raises at line 1 (55ee)"));
  sets_[0].members[0].steps.back().splits = true;
  Resolution r = resolve();
  EXPECT_THAT(r.refusals, IsEmpty());
  EXPECT_THAT(written(r), ElementsAre(kGuards, kList, kHost, "fi/aot.py"));
}

TEST_F(Resolve, FilesThatNeedEachOtherAreRefused) {
  ground_.shut_all();
  SmallGround::needs(ground_.gate("22bb"), "11aa");
  Resolution r = resolve();
  EXPECT_THAT(refusal(r), HasSubstr("no order of writing them is safe"));
  EXPECT_THAT(r.plans, IsEmpty());
}

TEST_F(Resolve, EditsThatOverlapAreAnError) {
  ground_.shut_all();
  sets_[0].members[0].steps.push_back(
      SmallGround::text_step("clash", {kHost, "i + n] = p", "i] = q"}));
  auto resolved = ground_.resolve(sets_);
  ASSERT_FALSE(resolved.has_value());
  EXPECT_EQ(resolved.error().code, ErrorCode::does_not_fit);
  EXPECT_THAT(resolved.error().next, HasSubstr("stride, clash"));
}

}  // namespace
}  // namespace ungate::patch
