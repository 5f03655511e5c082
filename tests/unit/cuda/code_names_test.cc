#include "cuda/code_names.h"

#include <gtest/gtest.h>

namespace ungate::cuda {
namespace {

std::vector<std::string> names(const std::string& text) {
  Directives d = read_directives(text);
  Structure s = read_structure(text, d, {});
  std::vector<std::string> out;
  for (const CodeName& n : code_names(text, d, s)) {
    out.push_back(n.target.name() + ' ' + text.substr(n.range.begin, n.range.size()));
  }
  return out;
}

TEST(CodeNames, TheEndOfAKernelsName) {
  EXPECT_EQ(names(R"(const char* k = "gemm_bf16_t128x8_schedS_sm100f";)"),
            (std::vector<std::string>{R"(sm_100f "gemm_bf16_t128x8_schedS_sm100f")"}));
  EXPECT_EQ(names("const char* k = \"gemm_bf16_t128_\"\n  \"schedS_sm90a\";"),
            (std::vector<std::string>{"sm_90a \"schedS_sm90a\""}));
}

TEST(CodeNames, AnywhereInTheNameOfACubin) {
  EXPECT_EQ(names(R"(void f() { load("attention_sm100_prefill_d128.cubin"); })"),
            (std::vector<std::string>{R"(sm_100 "attention_sm100_prefill_d128.cubin")"}));
}

TEST(CodeNames, OtherTextsAreNone) {
  EXPECT_TRUE(names("#include \"kernels_sm100.cuh\"\n").empty());
  EXPECT_TRUE(names(R"(alloc("sm90_group_gemm_workspace");)").empty());
  EXPECT_TRUE(names(R"(throw std::runtime_error("needs a kernel for sm_90");)").empty());
  EXPECT_TRUE(names(R"(f("compute_sm1000_x.cubin"); f("short_sm90");)").empty());
}

}  // namespace
}  // namespace ungate::cuda
