#include "audit/compare.h"

#include <gtest/gtest.h>

#include "unit/support/temp_tree.h"

namespace ungate::audit {
namespace {

Record record(std::string id, std::string in, std::string expression, std::string admits) {
  Record r;
  r.id = std::move(id), r.path = "p/a.py", r.form = "py-compare", r.in = std::move(in);
  r.expression = std::move(expression), r.admits = std::move(admits), r.target = "sm_120";
  r.effect = "raises", r.verdict = r.admits == "no" ? "unknown" : "";
  return r;
}
Record binary(std::string path, std::string code, std::string admits) {
  Record r;
  r.id = path + code, r.path = std::move(path), r.form = "binary-objects", r.expression = std::move(code);
  r.admits = std::move(admits), r.target = "sm_120";
  return r;
}
Records records(std::vector<Record> all, bool open = true) {
  Records out;
  out.all = std::move(all);
  out.targets = {"sm_120"};
  out.open = open;
  return out;
}

// "opened a -> b; added - -> c | path: +added -dropped".
std::string text_of(const Records& a, const Records& b) {
  std::string out;
  Comparison c = compare(a, b, "sm_120");
  for (const Difference& d : c.gates) {
    out += (out.empty() ? "" : "; ") + std::string(name_of(d.change)) + ' ' +
           (d.before == nullptr ? "-" : d.before->id) + " -> " + (d.after == nullptr ? "-" : d.after->id);
  }
  for (const CodeDifference& d : c.code) {
    out += " | " + d.path + ':';
    for (const std::string& s : d.added) out += " +" + s;
    for (const std::string& s : d.dropped) out += " -" + s;
    out += ' ' + d.before + "->" + d.after;
  }
  return out + (is_worse(c) ? " worse" : "");
}

TEST(Compare, ByIdAndByPlace) {
  Records a = records({record("1", "f", "x == 9", "no"), record("2", "g", "major in [9, 10]", "no"),
                       record("3", "h", "cc >= 100", "yes"), record("4", "k", "a", "no"),
                       record("5", "same", "y", "no"), record("6", "open", "z", "yes")});
  Records b = records({record("1", "f", "x == 9", "yes"), record("7", "g", "major in [9, 10, 12]", "yes"),
                       record("8", "h", "cc >= 100 and cc < 120", "no"), record("9", "new", "b", "no"),
                       record("5", "same", "y", "no"), record("10", "open2", "entirely other", "yes")});
  EXPECT_EQ(text_of(a, b), "opened 1 -> 1; opened 2 -> 7; closed 3 -> 8; added - -> 9; removed 4 -> - worse");
  EXPECT_EQ(compare(a, b, "sm_120").alike, 1u);
  EXPECT_EQ(text_of(a, a), "");
  EXPECT_EQ(text_of(b, a), "opened 8 -> 3; closed 1 -> 1; closed 7 -> 2; added - -> 4; removed 9 -> - worse");
}

TEST(Compare, TextsThatAreNotAlikeAreNotTheSameGate) {
  Records a = records({record("1", "f", "is_hopper()", "no")});
  Records b = records({record("2", "f", "torch.version.cuda > '13'", "no")});
  EXPECT_EQ(text_of(a, b), "added - -> 2; removed 1 -> - worse");
}

TEST(Compare, EqualTextsKeepTheirOrder) {
  Record first = record("z", "f", "#if A && B", "no"), second = record("a", "f", "#if A && B", "no");
  first.line = 10, second.line = 20;
  Record newer_first = record("m", "f", "#if A", "yes"), newer_second = record("l", "f", "#if A", "yes");
  newer_first.line = 11, newer_second.line = 21;
  EXPECT_EQ(text_of(records({first, second}), records({newer_first, newer_second})),
            "opened z -> m; opened a -> l");
}

TEST(Compare, VerdictsThatChange) {
  Record policy = record("1", "f", "x", "no");
  policy.verdict = "policy";
  EXPECT_EQ(text_of(records({record("1", "f", "x", "no")}), records({policy})), "changed 1 -> 1");
}

TEST(Compare, CodeThatWasDropped) {
  Records a = records({binary("p/_moe_C.so", "sm_90 sm_120; PTX sm_90", "yes"), binary("p/k", "sm_90", "no"),
                       binary("p/k", "sm_100f", "no")});
  Records b = records({binary("p/_moe_C.so", "sm_90 sm_120a", "no"), binary("p/k", "sm_90", "no"),
                       binary("p/new.so", "sm_120", "yes")});
  EXPECT_EQ(text_of(a, b),
            " | p/_moe_C.so: +sm_120a -PTX sm_90 -sm_120 yes->no | p/k: -sm_100f no->no | p/new.so: +sm_120 -->yes worse");
  // A report without what is open cannot say that a file is new.
  a.open = false;
  EXPECT_EQ(text_of(a, b).find("p/new.so"), std::string::npos);
}

class SavedReportTest : public testing::Test {
 protected:
  std::string error(const std::string& name, const std::string& text) {
    auto records = load_records(tree_.file(name, text));
    return records ? "" : records.error().what;
  }
  testing_support::TempTree tree_;
};

TEST_F(SavedReportTest, DocumentsAndLines) {
  std::string finding =
      R"({"id": "1", "path": "p/a.py", "line": 3, "form": "f", "expression": "e", "in": null, "target": "sm_120", "admits": "no", "effect": "raises", "verdict": "policy"})";
  std::string document = R"({"schema": "ungate-audit", "targets": ["sm_120"], "environments": [{"packages": [{"name": "p", "version": "1"}]}], "findings": [)" +
                         finding + "]}";
  auto records = load_records(tree_.file("r.json", document));
  ASSERT_TRUE(records) << to_text(records.error());
  EXPECT_EQ(records->all.at(0).line, 3u);
  EXPECT_EQ(records->packages.at(0), "p 1");
  EXPECT_FALSE(records->open);
  records = load_records(tree_.file("r.jsonl", finding + "\n\n" + finding + '\n'));
  ASSERT_TRUE(records) << to_text(records.error());
  EXPECT_EQ(records->all.size(), 2u);
  EXPECT_EQ(records->targets.at(0), "sm_120");
}

TEST_F(SavedReportTest, OtherFiles) {
  EXPECT_EQ(error("a.json", "no JSON"), "this is no report of an audit");
  EXPECT_EQ(error("a.json", R"({"schema": "ungate-objects"})"), "this is no report of an audit");
  EXPECT_EQ(error("a.json", R"({"schema": "ungate-audit"})"), "the report has no list 'targets'");
  EXPECT_EQ(error("a.json", R"({"schema": "ungate-audit", "targets": [], "environments": [], "findings": [{}]})"),
            "one of its findings lacks id, path, target or admits");
  EXPECT_EQ(error("a.jsonl", "{}\n"), "this line is no finding");
}

}  // namespace
}  // namespace ungate::audit
