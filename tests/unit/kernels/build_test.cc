// The house that compiles and runs the bundled kernels: names, targets, and what a benchmark says.
#include <gtest/gtest.h>

#include "kernels/bench_table.h"
#include "kernels/build.h"

namespace ungate::kernels {
namespace {

TEST(KernelName, InWords) {
  EXPECT_EQ(in_words("_ZN3arf7oneshotINS_4Bf16ELi4ELi1ELi1EEEvNS_4CallE"),
            "oneshot bf16, 4 ranks, 1 a thread, norm");
  EXPECT_EQ(in_words("_ZN3arf7twoshotINS_4Fp32ELi8ELi2ELi0EEEvNS_4CallE"),
            "twoshot fp32, 8 ranks, 2 a thread, sum only");
  EXPECT_EQ(in_words("_ZN3arf9moe_inputINS_4Fp16EEEvNS_7MoeCallE"), "experts fp16");
  EXPECT_EQ(in_words("_ZN3arf4pullINS_4Bf16ELi2ELi1ELi1EEEvNS_4CallE"),
            "pull bf16, 2 ranks, 1 a thread, norm");
  EXPECT_EQ(in_words("_ZN3arf12hierarchicalINS_4Fp16ELi8ELi1ELi1EEEvNS_4CallE"),
            "hierarchical fp16, 8 ranks, 1 a thread, norm");
  EXPECT_EQ(in_words("_ZN3arf11finish_rowsINS_4Fp16ELi2ELi2EEEvNS_4CallE"),
            "finish fp16, 2 a thread, norm, quantised");
}

TEST(KernelName, OfOthersIsLeftAlone) {
  EXPECT_EQ(in_words("_Z4gatePKjj"), "_Z4gatePKjj");
  EXPECT_EQ(in_words("_ZN3arf7oneshotINS_4Bf16ELi4ELi1ELi9EEEvNS_4CallE"),
            "_ZN3arf7oneshotINS_4Bf16ELi4ELi1ELi9EEEvNS_4CallE");
}

TEST(BenchTable, AdviceNamesTheSizeFromWhichNcclWins) {
  auto rows = read_rows(
      "2,4096,1,arf_pattern1,2.0,1.9,2.5,ok\n2,4096,1,nccl+norm,9.0,8.0,9.9,ok\n"
      "2,4096,64,arf_pattern1,9.0,8.9,9.5,ok\n2,4096,64,nccl+norm,8.5,8.0,9.9,ok\n"
      "2,4096,64,nccl+norm_pdl,8.0,7.5,9.0,ok\n");
  ASSERT_TRUE(rows.has_value());
  const std::vector<BenchPoint> p = points(*rows);
  ASSERT_EQ(p.size(), 2u);
  EXPECT_EQ(p[1].nccl_variant, "nccl+norm_pdl");
  EXPECT_EQ(advice(p, 2, 4096),
            "2 ranks, hidden 4096: fuse up to 8 KB; NCCL and a norm kernel from 512 KB");
}

// A time whose outputs were wrong is no time.
TEST(BenchTable, WrongRowsAreNotCompared) {
  auto rows = read_rows("2,4096,1,arf_pattern1,2.0,1.9,2.5,WRONG norm_out\n");
  ASSERT_TRUE(rows.has_value());
  const std::vector<BenchPoint> p = points(*rows);
  ASSERT_EQ(p.size(), 1u);
  EXPECT_EQ(p[0].ours, 0);
  EXPECT_EQ(p[0].wrong, 1);
}

TEST(BenchTable, ALineThatIsNoRowIsNamed) {
  auto rows = read_rows("2,4096,1,arf_pattern1,2.0,1.9,2.5,ok\n2,4096,1,arf_pattern1,cannot run\n");
  ASSERT_FALSE(rows.has_value());
  EXPECT_EQ(rows.error().what, "line 2 of the benchmark's rows is not a row");
}

}  // namespace
}  // namespace ungate::kernels
