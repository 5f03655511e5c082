// Proofs that are carried beside patch sets.
#include "prove/recorded_proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ungate::prove {
namespace {

KernelFacts kernel(std::string name, std::uint64_t bytes, bool effects) {
  KernelFacts k;
  k.name = std::move(name);
  k.code_bytes = bytes, k.registers = 32, k.effects = effects, k.wait = effects;
  return k;
}

Proof sample() {
  Proof proof;
  proof.compiler = "nvcc 13.0.88";
  UnitProof unit;
  unit.unit.source = "pkg/csrc/a.cu";
  TargetProof target;
  target.target = *arch::parse_code_target("sm_120a");
  target.after.emplace(), target.before.emplace();
  target.after->compiled = target.before->compiled = true;
  target.after->kernels = {kernel("_Z1kIfEvv", 0x800, true), kernel("_Z1kIiEvv", 0x900, true), kernel("_Z1jv", 0x200, true)};
  target.before->kernels = {kernel("_Z1kIfEvv", 0x100, false), kernel("_Z1kIiEvv", 0x100, false), kernel("_Z1jv", 0x200, true)};
  target.after->cpu_seconds = 60, target.before->cpu_seconds = 2;
  unit.targets.push_back(target);
  OtherProof other;
  other.target = *arch::parse_code_target("sm_90a");
  other.unchanged.same = Same::device_text;
  unit.others.push_back(other);
  proof.units.push_back(unit);
  return proof;
}

const std::vector<EditedFile> kFiles{{"pkg/jit.py", "1", "2"}, {"pkg/csrc/a.cu", "3", "4"}, {"other/x.py", "5", "6"}};

RecordedProof recorded() {
  RecordedProof out = recorded_proof_of(sample(), kFiles, "pkg/");
  out.set = "pkg/set", out.package = "pkg", out.release = "1.0";
  return out;
}

arch::Device device(const char* name) { return *arch::parse_device(name); }

TEST(RecordedProof, HoldsWhatDiffers) {
  RecordedProof p = recorded();
  ASSERT_EQ(p.units.size(), 1u);
  EXPECT_EQ(p.units[0].kernels.at("k").instances, 2u);
  EXPECT_EQ(p.units[0].kernels.at("k").code.hex(), "0x800..0x900");
  EXPECT_EQ(p.units[0].kernels.at("k").nothing, 0u);
  ASSERT_TRUE(p.units[0].before.contains("k"));
  EXPECT_EQ(p.units[0].before.at("k").nothing, 2u);
  EXPECT_FALSE(p.units[0].before.contains("j"));
  EXPECT_THAT(p.others, testing::ElementsAre(RecordedOther{"pkg/csrc/a.cu", "sm_90a", "same-device-text"}));
  EXPECT_EQ(p.cpu_seconds, 62);
  ASSERT_EQ(p.files.size(), 2u);  // what lies elsewhere was not compiled
  EXPECT_EQ(p.files[0].path, "pkg/csrc/a.cu");
}

TEST(RecordedProof, IsReadAsItWasWritten) {
  RecordedProof p = recorded();
  auto again = recorded_proof_from_json(to_json(p), "x.proof.json");
  ASSERT_TRUE(again.has_value()) << again.error().what;
  EXPECT_EQ(again->units, p.units);
  EXPECT_EQ(again->others, p.others);
  EXPECT_EQ(again->files, p.files);
  EXPECT_EQ(again->set, "pkg/set");
  EXPECT_EQ(to_text(again->record), "proved with nvcc 13.0.88: 1 unit, 3 kernels for sm_120a; sm_90a unchanged (recorded for pkg 1.0)");
}

TEST(RecordedProof, WhatIsNotWholeIsRefusedWithItsFile) {
  std::string whole = to_json(recorded());
  for (std::string text : {std::string("[]"), std::string("{\"schema\": \"ungate-recorded-proof\", \"version\": 1}"), whole.substr(0, whole.size() / 2)}) {
    auto read = recorded_proof_from_json(text, "x.proof.json");
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(read.error().where, "x.proof.json");
  }
}

TEST(RecordedProof, CoversTheVeryEditsAndNoOthers) {
  RecordedProof p = recorded();
  EXPECT_TRUE(covers(p, kFiles, device("sm_120")));
  EXPECT_FALSE(covers(p, kFiles, device("sm_121")));
  auto without = [](std::size_t i) {
    auto files = kFiles;
    files.erase(files.begin() + static_cast<std::ptrdiff_t>(i));
    return files;
  };
  EXPECT_FALSE(covers(p, without(0), device("sm_120")));
  EXPECT_FALSE(covers(p, without(1), device("sm_120")));
  EXPECT_TRUE(covers(p, without(2), device("sm_120")));  // not of the compiled package
  auto other = kFiles;
  other[1].before_sha256 = "7";
  EXPECT_FALSE(covers(p, other, device("sm_120")));
  auto more = kFiles;
  more.push_back({"pkg/b.cuh", "8", "9"});
  EXPECT_FALSE(covers(p, more, device("sm_120")));
}

}  // namespace
}  // namespace ungate::prove
