#include "patch/lift_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "unit/patch/small_ground.h"

namespace ungate::patch {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Gates before, and after an edit that inserts ", 12" into the list and widens both guards.
class CheckLift : public testing::Test {
 protected:
  CheckLift() {
    before_.shut_all();
    for (const gate::Gate& g : before_.gates) {
      edits_.push_back({0, g.path, g.standings[0].lift->edits[0].edit, "step"});
    }
    after_.files[kList] = replaced(before_.files[kList], "10]", "10, 12]");
    after_.files[kGuards] =
        replaced(replaced(before_.files[kGuards], "1200", "1300"), "1200", "1300");
    after_.open("11aa", kList, "[9, 10, 12]").form = "py-major-list";
    after_.open("22bb", kGuards, "ARCH >= 900 && ARCH < 1300").form = "pp-arch-range";
    after_.open("33cc", kGuards, "ARCH >= 900 && ARCH < 1300", 1).form = "pp-arch-range";
  }

  static std::string replaced(std::string text, std::string_view from, std::string_view to) {
    return text.replace(text.find(from), from.size(), to);
  }

  LiftCheck check(const Unreadable& unread = {}) {
    std::vector<gate::Gate> before(before_.gates.begin(), before_.gates.end());
    std::vector<gate::Gate> after(after_.gates.begin(), after_.gates.end());
    std::vector<Opening> openings;
    for (const gate::Gate& g : before) {
      if (!opened_.contains(g.id)) continue;
      openings.push_back({&g, devices("12.0,12.1"), splits_ == g.id, {}, "step"});
    }
    return check_lift(before, after, openings, edits_, {}, unread);
  }
  std::string problem() {
    LiftCheck c = check();
    if (c.problems.size() != 1) return std::to_string(c.problems.size()) + " problems";
    return c.problems[0].where + ": " + c.problems[0].what;
  }

  SmallGround before_, after_;
  std::vector<PlannedEdit> edits_;
  std::set<std::string> opened_{"11aa", "22bb", "33cc"};
  std::string splits_;
};

TEST_F(CheckLift, GatesThatOpenAsAskedAreFine) {
  LiftCheck c = check();
  EXPECT_TRUE(c.checked);
  EXPECT_THAT(c.problems, IsEmpty());
  EXPECT_EQ(c.opened, 3u);
}

TEST_F(CheckLift, AGateThatStillShutsTheTargetOut) {
  after_.gate("33cc").standings[1].admits = gate::Admits::no;
  EXPECT_EQ(problem(), "fi/a.cuh:4: the gate 'ARCH >= 900 && ARCH < 1300' still shuts sm_121 out");
}

TEST_F(CheckLift, ADeviceThatIsLost) {
  after_.gate("11aa").admitted = devices("10.0,12.0,12.1");
  EXPECT_EQ(problem(),
            "fi/build.py:5: the gate '[9, 10, 12]' shuts sm_90 out, which it admitted before");
}

TEST_F(CheckLift, ADeviceThatNobodyAskedFor) {
  after_.gate("11aa").admitted |= devices("11.0");
  EXPECT_EQ(problem(),
            "fi/build.py:5: the gate '[9, 10, 12]' admits sm_110, which nobody asked for");
}

TEST_F(CheckLift, AGateThatIsGone) {
  after_.gates.pop_back();
  EXPECT_THAT(problem(), HasSubstr("fi/a.cuh:4: the gate 'ARCH >= 900 && ARCH < 1200' is gone"));
}

// A use of an opened helper, in another file.
class CheckUse : public CheckLift {
 protected:
  CheckUse() {
    for (SmallGround* g : {&before_, &after_}) {
      g->files["fi/use.py"] = "if helper():\n  fast()\n";
      gate::Gate& use = g == &before_ ? g->shut("66ff", "fi/use.py", "helper()", "", "")
                                      : g->open("66ff", "fi/use.py", "helper()");
      use.group = "g1";
    }
    before_.gate("11aa").group = "g1";
  }
};

TEST_F(CheckUse, FollowsWhatItUses) {
  LiftCheck c = check();
  EXPECT_THAT(c.problems, IsEmpty());
  EXPECT_THAT(c.followed, testing::ElementsAre("fi/use.py:1"));
}

TEST_F(CheckUse, DoesNotFollowIntoOtherDevices) {
  after_.gate("66ff").admitted |= devices("8.0");
  EXPECT_THAT(problem(),
              HasSubstr("fi/use.py:1: the gate 'helper()', which no step opens, admits "));
}

TEST_F(CheckUse, OfAnotherGroupDoesNotFollow) {
  before_.gate("66ff").group = "g2";
  EXPECT_THAT(problem(), HasSubstr("which no step opens"));
}

TEST_F(CheckLift, AGateThatWasNotThere) {
  after_.files["fi/use.py"] = "if new():\n";
  after_.shut("77aa", "fi/use.py", "new()", "", "");
  EXPECT_EQ(problem(), "fi/use.py:1: the gate 'new()' was not there before");
}

// The text that an edit brings may hold gates of its own.
class CheckBrought : public CheckLift {
 protected:
  CheckBrought() {
    std::string& text = after_.files[kHost];
    edits_.push_back({0, kHost, {{0, 0}, "", "if (fresh) "}, "step"});
    text = "if (fresh) " + text;
  }
};

TEST_F(CheckBrought, AGateThatLetsTheTargetIn) {
  after_.open("88aa", kHost, "fresh");
  EXPECT_THAT(check().problems, IsEmpty());
}

TEST_F(CheckBrought, AGateThatShutsTheTargetOut) {
  after_.shut("88aa", kHost, "fresh", "", "");
  EXPECT_EQ(problem(), "fi/a.cu:1: the edit brings a gate 'fresh' that shuts sm_120..sm_121 out");
}

TEST_F(CheckBrought, TheRestOfABlockThatWasSplit) {
  gate::Gate& rest = after_.shut("88aa", kHost, "fresh", "", "");
  // It stands in the file of the gate that was split, and admits what that one admitted.
  gate::Gate& block = before_.shut("99aa", kHost, "for", "", "");
  after_.open("99aa", kHost, "for");
  opened_.insert("99aa");
  splits_ = "99aa";
  EXPECT_THAT(check().problems, IsEmpty());
  rest.admitted = devices("9.0");
  EXPECT_NE(rest.admitted, block.admitted);
  EXPECT_THAT(problem(), HasSubstr("the edit brings a gate 'fresh' that shuts"));
}

TEST_F(CheckLift, AFileThatIsNotUnderstoodAnyMore) {
  LiftCheck c = check({{kList, "a syntax error"}});
  ASSERT_THAT(c.problems, SizeIs(1));
  EXPECT_EQ(c.problems[0].where, kList);
  EXPECT_EQ(c.problems[0].what, "the edited file is not understood: a syntax error");
}

}  // namespace
}  // namespace ungate::patch
