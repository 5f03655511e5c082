// The patch set for fused allreduce on the releases that it is for: plan, apply, audit, revert.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "arch/device.h"
#include "base/hash.h"
#include "base/text.h"
#include "corpus/environment.h"
#include "corpus/releases.h"

namespace ungate::corpus {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing_support::Ran;

constexpr const char* kSet = "flashinfer-python/allreduce-sm12x";
constexpr const char* kHeader = "flashinfer/data/include/flashinfer/comm/trtllm_allreduce.cuh";

std::vector<json> records_of(const std::string& jsonl) {
  std::vector<json> out;
  for (std::string_view line : text::lines(jsonl)) {
    if (!line.empty()) out.push_back(json::parse(line));
  }
  return out;
}

arch::DeviceSet devices(const json& finding) {
  auto set = arch::parse_device_set(finding["admitted"].get<std::string>());
  EXPECT_TRUE(set.has_value()) << finding["admitted"];
  return set.value_or(arch::DeviceSet());
}

// Every gate of an environment by file, form and function, in the order of the file.
using Key = std::tuple<std::string, std::string, std::string>;
std::map<Key, std::vector<json>> gates_of(const Environment& env) {
  Ran ran = env.ungate({"audit", "--target", "sm_120", "--all", "--format", "jsonl"});
  EXPECT_EQ(ran.status, 1) << ran.err;
  std::map<Key, std::vector<json>> out;
  for (json& finding : records_of(ran.out)) {
    std::string in = finding["in"].is_null() ? "" : finding["in"].get<std::string>();
    out[{finding["path"], finding["form"], in}].push_back(std::move(finding));
  }
  for (auto& [key, gates] : out)
    std::ranges::stable_sort(gates, {}, [](const json& g) { return g["line"].get<int>(); });
  return out;
}

// Files of a site that are not what RECORD says. The standard hash of wheels is the oracle here.
std::vector<std::string> not_as_recorded(const std::string& site) {
  std::vector<std::string> out;
  std::size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(site)) {
    if (entry.path().extension() != ".dist-info") continue;
    std::string record = testing_support::TempTree::read_absolute(entry.path() / "RECORD");
    for (std::string_view line : text::lines(record)) {
      std::size_t hash = line.find(",sha256="), size = line.rfind(',');
      if (hash == line.npos) continue;
      std::string path(line.substr(0, hash));
      if (path.starts_with("..") || !fs::exists(site + '/' + path))
        continue;  // scripts go elsewhere
      std::string expected(line.substr(hash + 8, size - hash - 8));
      ++compared;
      if (sha256_base64url(testing_support::TempTree::read_absolute(site + '/' + path)) != expected)
        out.push_back(path);
    }
  }
  EXPECT_GT(compared, 1000u);
  return out;
}

fs::path release_063() {
  return installed("fused-allreduce",
                   lines_of(fs::path(UNGATE_TEST_DIR) / "corpus/fused-allreduce/packages.txt"));
}

TEST(AllreduceSet, PlanApplyAuditRevertOn063) {
  fs::path from = release_063();
  Environment env(from);
  ASSERT_THAT(not_as_recorded(env.site()), testing::IsEmpty());
  auto before = gates_of(env);

  Ran plan = env.ungate({"plan", "--target", "sm_120", "--format", "json"});
  ASSERT_EQ(plan.status, 1) << plan.all();
  json document = json::parse(plan.out);
  std::string plan_file = env.tree().file("plan.json", plan.out);
  std::vector<std::string> files;
  for (const json& file : document["files"]) files.push_back(file["path"]);
  EXPECT_THAT(files, testing::ElementsAre(
                         "flashinfer/data/csrc/trtllm_allreduce.cu", kHeader,
                         "flashinfer/data/include/flashinfer/comm/trtllm_allreduce_fusion.cuh",
                         "flashinfer/data/include/flashinfer/comm/trtllm_moe_allreduce_fusion.cuh",
                         "flashinfer/jit/comm.py", "flashinfer/aot.py",
                         "sglang/srt/layers/communicator.py"));
  // The proof that the set carries is of these very edits.
  ASSERT_TRUE(document["report"]["proof"].is_object()) << "the recorded proof does not fit; make it anew with `ungate prove --record`";
  EXPECT_TRUE(document["report"]["proof"]["proved"].get<bool>());
  EXPECT_EQ(document["report"]["proof"]["recorded_for"], "flashinfer-python 0.6.3");
  EXPECT_TRUE(document["report"]["check"]["ok"].get<bool>());
  EXPECT_EQ(document["report"]["check"]["opened"], 16);

  Ran applied = env.ungate({"apply", "--plan", plan_file});
  ASSERT_EQ(applied.status, 0) << applied.all();
  std::set<std::string> changed(files.begin(), files.end());
  std::vector<std::string> differ = not_as_recorded(env.site());
  EXPECT_EQ(std::set<std::string>(differ.begin(), differ.end()), changed);
  EXPECT_THAT(not_as_recorded(from.string()), testing::IsEmpty());  // the cache's own files

  // What was admitted still is; what is added is 12.0 and 12.1, in the files that were edited and where what they
  // answer is asked for (the layers of SGLang's models).
  arch::DeviceSet wanted = *arch::parse_device_set("sm_120..sm_121");
  auto after = gates_of(env);
  std::size_t opened = 0;
  for (const auto& [key, gates] : before) {
    ASSERT_LE(gates.size(), after[key].size()) << std::get<0>(key);
    for (std::size_t i = 0; i < gates.size(); ++i) {
      const json& is = after[key][i];
      arch::DeviceSet was = devices(gates[i]), now = devices(is);
      EXPECT_TRUE(now.contains(was)) << is;
      EXPECT_TRUE(wanted.contains(now - was)) << is;
      if (now == was) continue;
      bool asks = is["path"].get<std::string>().starts_with("sglang/srt/models/") &&
                  (is["form"] == "py-flag" || is["form"] == "py-helper-call");
      EXPECT_TRUE(asks || changed.contains(is["path"].get<std::string>())) << is;
      if (!asks) ++opened;
      EXPECT_NE(is["admits"], "no") << is;  // an argument may decide as well
    }
  }
  EXPECT_EQ(opened, 17u);  // 13 guards, the list, the check in SGLang and two uses of it
  // The condition of the AOT block has another form now.
  const auto& block = after[Key("flashinfer/aot.py", "py-or-chain", "gen_all_modules")];
  ASSERT_EQ(block.size(), 1u);
  EXPECT_NE(block[0]["admits"], "no");  // has_sm120 asks for the toolkit's version, too
  EXPECT_EQ(block[0]["admitted"], "sm_100, sm_120..sm_121");

  Ran status = env.ungate({"status"});
  EXPECT_EQ(status.status, 0) << status.all();
  EXPECT_THAT(status.out, HasSubstr("7 files: as applied"));
  Ran again = env.ungate({"apply", "--plan", plan_file});
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.out, HasSubstr("Nothing was written"));

  Ran reverted = env.ungate({"revert"});
  EXPECT_EQ(reverted.status, 0) << reverted.all();
  EXPECT_THAT(not_as_recorded(env.site()), testing::IsEmpty());
  EXPECT_EQ(env.ungate({"status"}).status, 0);
}

TEST(AllreduceSet, TheListAloneIsRefused) {
  fs::path from = release_063();
  Environment env(from);
  Ran ran = env.ungate({"apply", "--target", "sm_120", "--lift", "flashinfer/jit/comm.py:61"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("13 gates behind it would still shut sm_120..sm_121 out"));
  EXPECT_THAT(ran.err, HasSubstr("empty-kernel at line 711"));
  EXPECT_THAT(ran.err, HasSubstr(kSet));
  EXPECT_THAT(not_as_recorded(env.site()), testing::IsEmpty());
  EXPECT_FALSE(fs::exists(env.root() + "/.ungate"));
}

TEST(AllreduceSet, IsSupersededOn0618) {
  fs::path from = installed("flashinfer-0.6.18", {"flashinfer-python==0.6.18"});
  Environment env(from);
  Ran ran = env.ungate({"apply", "--target", "sm_120"});
  EXPECT_EQ(ran.status, 0) << ran.all();
  EXPECT_THAT(ran.out, HasSubstr("Nothing was written"));
  EXPECT_THAT(ran.out, HasSubstr(std::string(kSet) + ": superseded: the package has it"));
  EXPECT_FALSE(fs::exists(env.root() + "/.ungate"));
}

}  // namespace
}  // namespace ungate::corpus
