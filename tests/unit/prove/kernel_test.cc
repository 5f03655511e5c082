#include "prove/kernel.h"

#include <gtest/gtest.h>

namespace ungate::prove {
namespace {

// full<float>(float*, int) in an unnamed namespace of k.cu
constexpr const char* kTemplate = "_ZN4deep4fullIfLi8EEEvPT_i";

TEST(Kernel, NamesArePutIntoWords) {
  EXPECT_EQ(demangled(kTemplate), "void deep::full<float, 8>(float*, int)");
  EXPECT_EQ(base_name(kTemplate), "deep::full");
  EXPECT_EQ(short_name(kTemplate), "full");
  EXPECT_EQ(template_arguments(kTemplate), "float, 8");
}

TEST(Kernel, NamesOfCAreTakenAsTheyAre) {
  EXPECT_EQ(demangled("plain_kernel"), "plain_kernel");
  EXPECT_EQ(short_name("plain_kernel"), "plain_kernel");
  EXPECT_EQ(template_arguments("plain_kernel"), "");
}

TEST(Kernel, FunctionPointersAmongParametersDoNotConfuse) {
  // void run<int (*)(float)>(int (*)(float))
  EXPECT_EQ(short_name("_Z3runIPFifEEvT_"), "run");
  EXPECT_EQ(template_arguments("_Z3runIPFifEEvT_"), "int (*)(float)");
}

TEST(Kernel, ModuleIdsAreReplaced) {
  std::string a = without_module_ids("_ZN40_INTERNAL_b9f7a0d8_4_k_cu_7a4a3e9c_123456hiddenEi");
  std::string b = without_module_ids("_ZN40_INTERNAL_00112233_4_k_cu_44556677_123456hiddenEi");
  EXPECT_EQ(a, b);
  EXPECT_TRUE(a.ends_with("6hiddenEi")) << a;
  EXPECT_EQ(without_module_ids("_Z5plainv"), "_Z5plainv");
  // A number that reaches beyond the name is no length.
  EXPECT_EQ(without_module_ids("9999_INTERNAL_x"), "9999_INTERNAL_x");
}

TEST(Kernel, WhatDoesNothingIsNotWhatTraps) {
  KernelFacts k;
  EXPECT_TRUE(k.does_nothing());
  k.traps = true;
  EXPECT_FALSE(k.does_nothing());
  EXPECT_TRUE(k.only_traps());
  k.effects = true;
  EXPECT_FALSE(k.only_traps());
}

}  // namespace
}  // namespace ungate::prove
