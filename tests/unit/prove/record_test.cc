#include "prove/record.h"

#include <gtest/gtest.h>

#include "prove/process.h"

namespace ungate::prove {
namespace {

Proof sample(bool fails) {
  Proof proof;
  proof.compiler = "nvcc 13.0.88";
  UnitProof unit;
  unit.targets.emplace_back();
  unit.targets[0].target = *arch::parse_code_target("sm_120a");
  unit.targets[0].after.emplace();
  unit.targets[0].after->compiled = true;
  unit.targets[0].after->kernels.resize(3);
  if (fails) unit.targets[0].problems.push_back({"empty-kernel", "does nothing on sm_120a", "a.cuh:7", "k", 2});
  unit.others.emplace_back();
  unit.others[0].target = *arch::parse_code_target("sm_90a");
  proof.units.push_back(std::move(unit));
  return proof;
}

TEST(Record, SaysWhatWasProved) {
  ProofRecord r = record_of(sample(false), false);
  EXPECT_TRUE(r.proved);
  EXPECT_EQ(to_text(r), "proved with nvcc 13.0.88: 1 unit, 3 kernels for sm_120a; sm_90a unchanged");
}

TEST(Record, SaysWhatFailed) {
  ProofRecord r = record_of(sample(true), false);
  EXPECT_FALSE(r.proved);
  EXPECT_EQ(to_text(r), "the proof failed with nvcc 13.0.88: 1 problem, the first: empty-kernel: k does nothing on sm_120a (a.cuh:7)");
}

TEST(Record, NothingCompiledIsNoProof) {
  EXPECT_FALSE(record_of(Proof{}, false).proved);
}

TEST(Record, IsFoundByTheEditsAlone) {
  std::vector<EditedFile> files{{"a", "1", "2"}, {"b", "3", "4"}};
  std::string key = record_key(files, "sm_120");
  std::swap(files[0], files[1]);
  EXPECT_EQ(record_key(files, "sm_120"), key);
  EXPECT_NE(record_key(files, "sm_121"), key);
  files[0].after_sha256 = "5";
  EXPECT_NE(record_key(files, "sm_120"), key);
}

TEST(Record, IsKept) {
  auto folder = ScratchFolder::make();
  ASSERT_TRUE(folder);
  ProofRecord r = record_of(sample(true), true);
  save_record(folder->path(), "proof-x", r);
  EXPECT_EQ(load_record(folder->path(), "proof-x"), r);
  EXPECT_FALSE(load_record(folder->path(), "proof-y"));
  EXPECT_FALSE(record_from_json("[]"));
  EXPECT_FALSE(record_from_json("{\"format\": 1, \"proved\": 3}"));
}

}  // namespace
}  // namespace ungate::prove
