// The story that this project began with, on the releases in which it happened: FlashInfer's fused
// allreduce on an RTX PRO 6000. fused-allreduce/ holds what was found by reading them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "corpus/releases.h"

namespace ungate::corpus {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Contains;
using testing::Not;

const fs::path kStory = fs::path(UNGATE_TEST_DIR) / "corpus/fused-allreduce";

class FusedAllreduce : public testing::Test {
 protected:
  // One audit for all tests.
  static void SetUpTestSuite() {
    fs::path packages = installed("fused-allreduce", lines_of(kStory / "packages.txt"));
    int status = 0;
    std::string out = output_of(
        quoted(UNGATE_BINARY) + " audit " + quoted(packages) + " --target sm_120 --format jsonl",
        status);
    ASSERT_EQ(status, 1);
    std::size_t at = 0;
    for (std::size_t end; (end = out.find('\n', at)) != out.npos; at = end + 1)
      findings_.push_back(json::parse(out.substr(at, end - at)));
  }

  static std::vector<const json*> at(const std::string& path, int line) {
    std::vector<const json*> out;
    for (const json& f : findings_) {
      if (f["path"] == path && f["line"] == line) out.push_back(&f);
    }
    return out;
  }

  // The finding on a line that only one is on.
  static const json& only(const std::string& path, int line) {
    auto found = at(path, line);
    if (found.size() == 1) return *found.front();
    ADD_FAILURE() << path << ':' << line << ": " << found.size() << " findings";
    static const json kNone = json::object();
    return found.empty() ? kNone : *found.front();
  }

  static std::vector<json> findings_;
};

std::vector<json> FusedAllreduce::findings_;

constexpr const char* kList = "flashinfer/jit/comm.py";
constexpr const char* kHeader = "flashinfer/data/include/flashinfer/comm/trtllm_allreduce.cuh";

TEST_F(FusedAllreduce, EveryGateOfItIsFoundAndJudged) {
  for (const auto& row : table(kStory / "shut.tsv")) {
    SCOPED_TRACE(row[0] + ':' + row[1]);
    const json& f = only(row[0], std::stoi(row[1]));
    EXPECT_EQ(f.value("admits", ""), "no");
    EXPECT_EQ(f.value("effect", ""), row[2]);
    EXPECT_EQ(f.value("verdict", ""), row[3]);
    EXPECT_EQ(f.value("admitted", ""), row[4]);
  }
}

TEST_F(FusedAllreduce, OneGroupHoldsThemAndNothingElse) {
  std::string group = only(kList, 61).value("group", "");
  ASSERT_FALSE(group.empty());
  std::set<std::pair<std::string, int>> expected, found;
  for (const auto& row : table(kStory / "shut.tsv")) expected.emplace(row[0], std::stoi(row[1]));
  for (const json& f : findings_) {
    if (f["group"] == group) found.emplace(f["path"], f["line"].get<int>());
  }
  EXPECT_EQ(found, expected);
}

TEST_F(FusedAllreduce, TheListIsNotLiftedWithoutTheGuards) {
  const json& list = only(kList, 61);
  EXPECT_EQ(list.value("alone", true), false);
  std::set<std::string> needs = list["lift"]["needs"], guards;
  for (const json& f : findings_) {
    if (f["path"] == kHeader) guards.insert(f["id"]);
  }
  EXPECT_EQ(guards.size(), 13u);
  EXPECT_EQ(needs, guards);
  EXPECT_EQ(list["lift"]["also_admits"], json({"sm_121"}));
}

// CompilationContext finds the GPU and would compile for it; the call site filters it out again.
TEST_F(FusedAllreduce, DetectionAdmitsWhatTheListRejects) {
  std::string all;
  for (const json& e : only(kList, 61)["evidence"]) all += e["what"].get<std::string>() + '\n';
  EXPECT_THAT(all, testing::HasSubstr("detection lets sm_120 in (TARGET_CUDA_ARCHS of"));
}

TEST_F(FusedAllreduce, TheGuardsAreBehindTheList) {
  std::string list = only(kList, 61)["id"];
  std::size_t guards = 0;
  for (const json& f : findings_) {
    if (f["path"] != kHeader) continue;
    ++guards;
    EXPECT_THAT(f["behind"].get<std::vector<std::string>>(), Contains(list)) << f["line"];
    // The kernels are reached through an op that no installed package calls.
    EXPECT_THAT(f.value("guards", ""), testing::HasSubstr("trtllm_custom_all_reduce, which no"));
  }
  EXPECT_EQ(guards, 13u);
}

TEST_F(FusedAllreduce, WhatOnlyLooksLikeAGateIsNotReported) {
  for (const auto& row : table(kStory / "open.tsv")) {
    int line = std::stoi(row[1]);
    for (const json& f : findings_) {
      if (f["path"] != row[0] || (line != 0 && f["line"] != line)) continue;
      EXPECT_FALSE(f["admits"] == "no" && f["effect"] != "definition")
          << row[0] << ':' << f["line"] << " (" << row[2] << "): " << f["expression"];
    }
  }
}

}  // namespace
}  // namespace ungate::corpus
