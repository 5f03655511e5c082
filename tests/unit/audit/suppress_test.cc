#include "audit/suppress.h"

#include <gtest/gtest.h>

#include "unit/support/temp_tree.h"

namespace ungate::audit {
namespace {

class SuppressTest : public testing::Test {
 protected:
  Result<Suppressions> load(const std::string& text) {
    return load_suppressions(tree_.file("ungate.ignore.yaml", text), "2026-11-30");
  }
  // What is wrong with an entry.
  std::string error(const std::string& entry) {
    auto loaded = load("ignore:\n  - " + entry + "\n");
    if (loaded) return {};
    EXPECT_EQ(loaded.error().code, ErrorCode::bad_config);
    std::string where = loaded.error().where;
    return where.substr(where.find("yaml:") + 5) + ' ' + loaded.error().what;
  }
  testing_support::TempTree tree_;
};

Record record(const std::string& id, const std::string& path, const std::string& target = "sm_120") {
  Record r;
  r.id = id, r.path = path, r.target = target, r.form = "py-flag", r.package = "p", r.admits = "no";
  return r;
}

TEST_F(SuppressTest, AllThatIsGivenMustFit) {
  auto s = load("ignore:\n"
                "  - {gate: aa, reason: r, expires: 2027-01-31}\n"
                "  - {path: 'x/*.py', target: '12.1', reason: r, expires: 2026-11-30}\n");
  ASSERT_TRUE(s) << to_text(s.error());
  EXPECT_EQ(s->valid.size(), 2u);  // the last day counts
  EXPECT_TRUE(s->cover(record("aa", "p.py")));
  EXPECT_FALSE(s->cover(record("ab", "p.py")));
  EXPECT_FALSE(s->cover(record("ab", "x/y.py")));
  EXPECT_TRUE(s->cover(record("ab", "x/y.py", "sm_121")));
}

TEST_F(SuppressTest, ExpiredEntriesDoNotCount) {
  auto s = load("ignore:\n  - {gate: aa, reason: r, expires: 2026-11-29}\n");
  ASSERT_TRUE(s);
  EXPECT_FALSE(s->cover(record("aa", "p.py")));
  ASSERT_EQ(s->expired.size(), 1u);
  EXPECT_TRUE(s->expired[0].where.ends_with("ungate.ignore.yaml:2:5")) << s->expired[0].where;
}

TEST_F(SuppressTest, ErrorsSayWhere) {
  EXPECT_NE(error("{gate: aa, expires: 2027-01-31}").find("reason"), std::string::npos);
  EXPECT_NE(error("{gate: aa, reason: r}").find("expires"), std::string::npos);
  EXPECT_EQ(error("{gate: aa, reason: r, expires: 2027-02-30}"),
            "2:36 '2027-02-30' is no date; dates are written 2027-01-31");
  EXPECT_EQ(error("{gate: aa, reason: r, expires: never}"),
            "2:36 'never' is no date; dates are written 2027-01-31");
  EXPECT_EQ(error("{reason: r, expires: 2027-01-31}"),
            "2:5 says neither gate, path, package nor form: it would ignore everything");
  EXPECT_EQ(error("{gate: aa, target: sm_999, reason: r, expires: 2027-01-31}"), "2:24 'sm_999' is no device");
  EXPECT_NE(error("{gates: aa, reason: r, expires: 2027-01-31}").find("gates"), std::string::npos);
  EXPECT_FALSE(load("ignore: [\n"));
  EXPECT_TRUE(load("# nothing yet\n"));
}

TEST(Suppress, GatesThatAreCoveredForEveryTargetGo) {
  Report report;
  for (const char* id : {"aa", "bb"}) {
    gate::Gate g;
    g.id = id, g.path = "p.py";
    for (const char* name : {"sm_120", "sm_121", "sm_90"}) {
      gate::Standing s;
      s.device = *arch::parse_device(name);
      s.admits = std::string(name) == "sm_90" ? gate::Admits::yes : gate::Admits::no;
      g.standings.push_back(s);
    }
    report.gates.push_back(g);
  }
  Suppressions one;
  one.valid.push_back({"aa", "", "", "", "sm_120", "r", "", ""});
  EXPECT_EQ(suppress(report, one), 0u);
  one.valid[0].target.clear();
  EXPECT_EQ(suppress(report, one), 1u);
  Records baseline;
  baseline.all = {record("bb", "p.py", "sm_120")};
  EXPECT_EQ(leave_out_baseline(report, baseline), 0u);
  baseline.all.push_back(record("bb", "p.py", "sm_121"));
  EXPECT_EQ(leave_out_baseline(report, baseline), 1u);
}

}  // namespace
}  // namespace ungate::audit
