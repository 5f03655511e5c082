// The same texts through the installed nvcc: its own macros, its own headers.
#include <gtest/gtest.h>

#include "unit/cuda/cpp_oracle.h"
#include "unit/cuda/texts.h"

namespace ungate::cuda {
namespace {

constexpr const char* kText =
    "#ifdef __CUDA_ARCH__\nMARK0\n#else\nMARK1\n#endif\n"
    "#if __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200\nMARK2\n#endif\n"
    "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\nMARK3\n#endif\n"
    "#ifdef __CUDA_ARCH_FEAT_SM120_ALL\nMARK4\n#endif\n"
    "#if __CUDA_ARCH_SPECIFIC__ == 1200\nMARK5\n#endif\n"
    "#if __CUDA_ARCH_FAMILY_SPECIFIC__ == 1200\nMARK6\n#elif "
    "defined(__CUDA_ARCH_FAMILY_SPECIFIC__)\nMARK7\n#endif\n"
    "#ifdef __CUDA_HAS_ARCH_FAMILY_SPECIFIC\n#if "
    "__CUDA_HAS_ARCH_FAMILY_SPECIFIC(120)\nMARK8\n#endif\n#endif\n"
    "#ifdef __CUDA_HAS_ARCH_SPECIFIC\n#if __CUDA_HAS_ARCH_SPECIFIC(121)\nMARK9\n#endif\n#endif\n"
    "#if defined(__CUDACC__) && defined(__NVCC__)\nMARK10\n#endif\n"
    "#if __CUDA_ARCH__ / 10 % 10 == 0 && __CUDA_ARCH__ != 0\nMARK11\n#endif\n";
constexpr int kMarks = 12;

TEST(Nvcc, GivesTheSameText) {
  if (std::system("nvcc --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "skipped: no nvcc";
  Tree tree;
  tree.add("f", kText);
  FileText file = tree.file("f");
  FileResult device = evaluate_file(file, {}), host = evaluate_file(file, {}, Pass::host);
  TempFile source("f.cu", kText);
  int compared = 0;
  for (const char* name : {"80", "90", "90a", "100f", "120", "120a", "121f"}) {
    std::string gencode = std::string("-gencode=arch=compute_") + name + ",code=sm_" + name + ' ';
    bool ok = false;
    std::set<int> seen = surviving("nvcc -E " + gencode + source.path(), ok);
    if (!ok) continue;  // a toolkit that does not know the target
    ++compared;
    unsigned target = arch::parse_code_target(name)->index();
    for (int i = 0; i < kMarks; ++i) {
      // nvcc -E prints the device pass only.
      std::string mark = "MARK" + std::to_string(i) + "\n";
      Outcome o = live_in(device, arm_holding(file, mark)).at(target);
      EXPECT_EQ(o.is(value::kTrue), seen.contains(i)) << mark << " for " << name;
    }
  }
  EXPECT_GT(compared, 0);
  EXPECT_EQ(live_in(host, arm_holding(file, "MARK1\n")).at(0), yes());
}

}  // namespace
}  // namespace ungate::cuda
