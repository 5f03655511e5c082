// What is wrong with a build: of facts made by hand, without a compiler.
#include "prove/examine.h"

#include <gtest/gtest.h>

namespace ungate::prove {
namespace {

TargetProof built(std::uint64_t shared_bytes) {
  KernelFacts k;
  k.name = "_Z1kPf";
  k.effects = true, k.code_bytes = 0x400, k.shared_bytes = shared_bytes;
  TargetProof proof;
  proof.target = *arch::parse_code_target("sm_120a");
  proof.after.emplace();
  proof.after->compiled = true;
  proof.after->kernels = {k};
  return proof;
}

Job job_with(std::vector<KernelSource::Dynamic> dynamic) {
  Job job;
  job.kernels = {{"k", "", "", false, std::move(dynamic)}};
  return job;
}

TEST(Examine, DynamicSharedMemoryIsAddedToTheStatic) {
  TargetProof fits = built(1024), too_much = built(1025);
  Job job = job_with({{"98 * 1024", "a.cu:7", 98 * 1024}});
  examine(fits, nullptr, job);
  EXPECT_TRUE(fits.problems.empty());
  EXPECT_TRUE(fits.notes.empty());
  examine(too_much, nullptr, job);
  ASSERT_EQ(too_much.problems.size(), 1u);
  EXPECT_EQ(too_much.problems[0].kind, "shared-memory");
  EXPECT_EQ(too_much.problems[0].where, "a.cu:7");
  EXPECT_EQ(too_much.problems[0].what,
            "is launched with 98 KB of dynamic shared memory beside 1025 bytes; a block of sm_120 can have 99 KB");
}

TEST(Examine, WhatIsDecidedAtRunTimeIsSaid) {
  TargetProof proof = built(0);
  examine(proof, nullptr, job_with({{"smem_size", "a.cu:7", std::nullopt}}));
  EXPECT_TRUE(proof.problems.empty());
  ASSERT_EQ(proof.notes.size(), 1u);
  EXPECT_EQ(proof.notes[0], "dynamic shared memory is decided when it runs and was not compared with the 99 KB of a block: k of `smem_size` (a.cu:7)");
}

TEST(Examine, AHeaderThatIsNotThereIsNamedWithItsWheel) {
  TargetProof proof = built(0);
  proof.after->compiled = false;
  proof.after->failure = {"nvcc", "cublasLt.h: No such file or directory", "/ungate/site0/pkg/a.h:3", {}, {}, {}};
  Job job;
  job.wheels = {{"curand", "nvidia-curand"}, {"cublas", "nvidia-cublas"}};
  examine(proof, nullptr, job);
  ASSERT_EQ(proof.problems.size(), 1u);
  EXPECT_EQ(proof.problems[0].kind, "missing-header");
  EXPECT_EQ(proof.problems[0].where, "pkg/a.h:3");
  EXPECT_EQ(proof.problems[0].what, "nvcc: cublasLt.h: No such file or directory; `pip install nvidia-cublas` brings it");
}

TEST(Examine, NamesLoseTheirTreesForPeople) {
  EXPECT_EQ(without_roots("error at /ungate/site0/pkg/a.cuh:3 and /ungate/site12/b.h"), "error at pkg/a.cuh:3 and b.h");
  EXPECT_EQ(without_roots("/ungate/siteX/a /usr/b"), "/ungate/siteX/a /usr/b");
}

}  // namespace
}  // namespace ungate::prove
